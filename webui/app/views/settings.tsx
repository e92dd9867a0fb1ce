/** Settings: the list of sections and the one that is open. */
import { t } from '../i18n/index.ts';
import { Boundary } from '../parts/boundary.tsx';
import { SECTIONS, type Section } from '../state/router.ts';
import { MenuButton } from './conversation.tsx';
import { About } from './settings-about.tsx';
import { General } from './settings-general.tsx';
import { Models } from './settings-models.tsx';
import { Tools } from './settings-tools.tsx';
import { UsagePage } from './settings-usage.tsx';
import { Strips } from './strips.tsx';

export function Settings({ section }: { section: Section }) {
  const Page = { general: General, models: Models, tools: Tools, usage: UsagePage, about: About }[section];
  return <>
    <header class="head"><MenuButton /><h1>{t.settings.title}</h1></header>
    <Strips />
    <div class="thread settings" id="thread" tabIndex={-1}>
      <div class="settings-grid">
        <nav aria-label={t.settings.title}><ul>{SECTIONS.map((s) => <li key={s}><a href={`/settings/${s}`} aria-current={s === section ? 'page' : undefined}>{t.settings.sections[s]}</a></li>)}</ul></nav>
        <div class="settings-page"><h2>{t.settings.sections[section]}</h2><Boundary key={section}><Page /></Boundary></div>
      </div>
    </div>
  </>;
}
