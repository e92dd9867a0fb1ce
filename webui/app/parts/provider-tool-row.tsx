/** A tool that the provider runs at its own place: the row of a tool, marked as not run here. */
import { t } from '../i18n/index.ts';
import { providerObject, providerVerb, type Mark } from '../model/tools.ts';
import type { ProviderToolPart, ProviderToolPhase } from '../model/types.ts';
import { Step } from './step.tsx';
import { Labelled, Output } from './tool-row.tsx';

interface Props {
  part: ProviderToolPart;
  /** Fields of the part again, because parts change in place. */
  phase: ProviderToolPhase;
  text: string | undefined;
  id: string;
}

export function ProviderToolRow({ part, phase, text, id }: Props) {
  const open = phase === 'started' || phase === 'running';
  const [running, done] = t.tool.providerVerbs[providerVerb(part.name)];
  const object = providerObject(part);
  const mark: Mark = phase === 'error' ? 'bad' : phase === 'done' ? 'ok' : 'live';
  const hasInput = part.arguments !== undefined && JSON.stringify(part.arguments).length > object.length + 16;
  return (
    <Step
      id={id} mark={mark} state="" open={phase === 'error' && !!text}
      summary={<><b>{open ? running : done}</b> {object && <code dir="auto">{object}</code>}{phase === 'error' && <span>— {t.tool.error}</span>}</>}
      aside={<span class="by-provider">{t.tool.byProvider}</span>}
      {...((hasInput || text) && {
        body: () => (
          <div class="tool-body">
            {hasInput && <Labelled name={t.tool.input}><pre tabIndex={0} aria-label={t.tool.input}>{typeof part.arguments === 'string' ? part.arguments : JSON.stringify(part.arguments, null, 2)}</pre></Labelled>}
            {text && <Labelled name={t.tool.output} copy={text}><Output text={text} tail={open} error={phase === 'error'} /></Labelled>}
          </div>
        ),
      })}
    />
  );
}
