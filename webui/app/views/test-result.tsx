/** What a real request to a model gave: how long it took and what it said, or why it failed. */
import { useState } from 'preact/hooks';
import { duration, t } from '../i18n/index.ts';
import { describe } from '../state/app.ts';
import { api, type ProviderDraft, type TestResult } from '../wire/api.ts';

export interface Test { busy: boolean; result: TestResult | null; error: string; run(provider: string | ProviderDraft, model: string): Promise<void>; clear(): void }

export function useTest(): Test {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<TestResult | null>(null);
  const [error, setError] = useState('');
  const clear = () => { setResult(null); setError(''); };
  const run = async (provider: string | ProviderDraft, model: string) => {
    clear();
    setBusy(true);
    try { setResult(await api.testProvider({ provider, model })); } catch (e) { setError(describe(e).detail); }
    setBusy(false);
  };
  return { busy, result, error, run, clear };
}

export function TestWords({ test }: { test: Pick<Test, 'busy' | 'result' | 'error'> }) {
  const { busy, result, error } = test;
  return (
    <div role="status">
      {busy && <p class="quiet">{t.setup.testing}</p>}
      {result && (result.ok
        ? <p class="note ok">{t.setup.ok(duration(result.latency_ms))}{result.text && <> — <q dir="auto">{result.text.slice(0, 120)}</q></>}</p>
        : <p class="note err">{t.setup.failed(result.error.detail || result.error.code)}</p>)}
      {error && <p class="note err">{t.setup.failed(error)}</p>}
    </div>
  );
}
