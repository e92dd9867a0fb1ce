/** The entry of the page: language, routes, connection, and the first drawing. */
import { render } from 'preact';
import { chooseLanguage } from './i18n/index.ts';
import { start } from './state/app.ts';
import { boot } from './state/boot.ts';
import { startRouter } from './state/router.ts';
import { startAnnouncer } from './views/announcer.tsx';
import { App } from './views/app.tsx';

await chooseLanguage(boot.lang || document.documentElement.lang);
startRouter();
start();
startAnnouncer();
render(<App />, document.getElementById('app')!);
