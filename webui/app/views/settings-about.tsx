/** Which server this is, and how well the page keeps up with it. */
import { t } from '../i18n/index.ts';
import { mismatches, serverVersion } from '../state/app.ts';
import { boot } from '../state/boot.ts';

export function About() {
  return <>
    <dl class="facts">
      <div><dt>{t.settings.version}</dt><dd>{serverVersion.value || boot.version}</dd></div>
      <div><dt>{t.settings.boot}</dt><dd><code>{boot.boot_id}</code></dd></div>
      <div><dt>{t.settings.mismatches}</dt><dd>{mismatches.value}</dd></div>
    </dl>
    <p><a href="/static/vendor-licenses.txt" target="_blank" rel="noopener">{t.settings.licences}</a></p>
  </>;
}
