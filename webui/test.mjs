// Bundles each unit test for Node and runs them with the test runner that Node brings.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const dir = mkdtempSync(join(here, 'node_modules/.unit-'));
const tests = readdirSync(join(here, 'app/test')).filter((f) => f.endsWith('.test.ts'));
try {
  await build({
    absWorkingDir: here,
    entryPoints: tests.map((f) => `app/test/${f}`),
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['linkedom'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const files = readdirSync(dir).filter((f) => f.endsWith('.test.mjs')).map((f) => join(dir, f));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
