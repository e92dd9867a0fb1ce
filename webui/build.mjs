// Bundles app/ into static/app/: readable files under names that stay the same from build to build.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = join(here, '../static/app');

const result = await build({
  absWorkingDir: here,
  entryPoints: ['app/main.tsx', 'app/styles/main.css'],
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  write: false,
  logLevel: 'info',
});

/** A lazy chunk takes the name of its module, a shared one is numbered in the order of its inputs. */
function stableNames(outputs) {
  const names = new Map();
  const shared = [];
  for (const [path, output] of Object.entries(outputs)) {
    const file = basename(path);
    if (output.entryPoint) names.set(file, basename(output.entryPoint).replace(/\.tsx?$/, '.js'));
    else shared.push([file, Object.keys(output.inputs).sort().join()]);
  }
  shared.sort((a, b) => (a[1] < b[1] ? -1 : 1));
  shared.forEach(([file], i) => names.set(file, i ? `shared-${i + 1}.js` : 'shared.js'));
  return names;
}

const names = stableNames(result.metafile.outputs);
if (new Set(names.values()).size !== names.size) throw new Error('two chunks share a name');
mkdirSync(out, { recursive: true });
for (const old of readdirSync(out)) rmSync(join(out, old));
for (const file of result.outputFiles) {
  const name = names.get(basename(file.path));
  let text = file.text;
  for (const [from, to] of names) text = text.replaceAll(`"./${from}"`, `"./${to}"`);
  writeFileSync(join(out, name), text);
}

/** The licence texts of everything that is bundled. */
const bundled = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
  if (name) bundled.add(name);
}
const licences = [...bundled].sort().map((name) => {
  const dir = join(here, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n${'-'.repeat(name.length + version.length + 1)}\n${readFileSync(join(dir, file), 'utf8').trim()}\n`;
});
writeFileSync(join(here, '../static/vendor-licenses.txt'), licences.join('\n\n'));
