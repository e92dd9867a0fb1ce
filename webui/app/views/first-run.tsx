/** The first page of a server that has no model yet. */
import { t } from '../i18n/index.ts';
import { focusComposer, suggestion } from './composer.tsx';
import { ModelSetup } from './model-setup.tsx';
import { announce } from '../state/announce.ts';

export function FirstRun() {
  const done = () => {
    suggestion.value = t.home.example;
    focusComposer.value++;
    announce(t.setup.done);
  };
  return (
    <section class="first-run" aria-labelledby="first-run-title">
      <h2 id="first-run-title" class="question">{t.setup.title}</h2>
      <p>{t.setup.intro}</p>
      <ModelSetup onDone={done} />
    </section>
  );
}
