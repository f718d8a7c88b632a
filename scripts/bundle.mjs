// Bundles the command line with the packages that it uses into dist/cli/main.js, and writes their licences into
// dist/THIRD-PARTY-NOTICES.txt. dist/cli/bin.js loads this file.
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { metafiles } from './compile-schemas.mjs';
import { packageNotices } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const options = {
  absWorkingDir: root,
  write: false,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'import.meta.url': 'fileUrl' },
  banner: { js: 'const fileUrl=require("node:url").pathToFileURL(__filename).href;' },
  // A script that V8 takes from a cache cannot import: it requires packages. A package that has only ES modules is bundled.
  supported: { 'dynamic-import': false },
  metafile: true,
};

/** The index of undici loads its whole `fetch`, which takes longer than everything that Attune uses of it. */
const undici = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import request from 'undici/lib/api/api-request.js';
  import connect from 'undici/lib/api/api-connect.js';
  Object.assign(Dispatcher.prototype, { request, connect });
  export { default as Pool } from 'undici/lib/dispatcher/pool.js';
  export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
  export { default as buildConnector } from 'undici/lib/core/connect.js';
`;

const texts = { undici, none: '' };

const parts = {
  name: 'parts-of-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'part' }));
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({ contents: texts[path], resolveDir: root }));
    // The two builds of its parser are half of undici, and a run loads one of them.
    onResolve({ filter: /\/llhttp(_simd)?-wasm\.js$/ }, ({ path }) => ({
      path: `undici/lib/llhttp/${basename(path)}`,
      external: true,
    }));
    // Only commands in separate executables need it, which Attune has none of.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'none', namespace: 'part' } : undefined,
    );
  },
};

const main = await build({
  ...options,
  entryPoints: { main: 'build/cli/main.js' },
  plugins: [parts],
  // Few runs need these, and they have CommonJS: they stay packages. The first one is optional, and the user's.
  external: ['@opentelemetry/api', 'ajv/dist/2020.js', 'diff', 'prom-client', 're2js'],
});
const [{ text }] = main.outputFiles;
const program = {
  digest: createHash('sha256').update(text).digest('hex').slice(0, 32),
  commands: commandNames(),
};
const bin = await build({
  ...options,
  entryPoints: { bin: 'build/cli/bundled-bin.js' },
  define: { ...options.define, program: JSON.stringify(program) },
});

const files = { 'main.js': text, 'bin.js': bin.outputFiles[0].text, 'package.json': '{"type":"commonjs"}\n' };
for (const [file, code] of Object.entries(files)) writeFileSync(join(root, 'dist/cli', file), code);
writeFileSync(
  join(root, 'dist/THIRD-PARTY-NOTICES.txt'),
  packageNotices(root, main.metafile, ...metafiles).join('\n'),
);

/** The first words of command lines. The last one is that of the completion scripts. */
function commandNames() {
  const files = readdirSync(join(root, 'build/cli/commands'));
  return [...files.map((name) => name.replace(/\.js$/, '')), '__complete'];
}
