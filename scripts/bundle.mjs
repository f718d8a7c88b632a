// Bundles the command line with the packages that it uses into dist/cli, so that a start loads few files. What a command loads when
// it is called is in chunks. Writes the licences of the bundled packages into dist/THIRD-PARTY-NOTICES.txt.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { commonJs, groupCode, helpers } from './chunk-code.mjs';
import { packageNotices } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The index of undici loads its whole `fetch`, which takes longer than everything that Attune uses of it. */
const undici = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import request from 'undici/lib/api/api-request.js';
  import connect from 'undici/lib/api/api-connect.js';
  Object.assign(Dispatcher.prototype, { request, connect });
  export { default as Pool } from 'undici/lib/dispatcher/pool.js';
  export { default as buildConnector } from 'undici/lib/core/connect.js';
`;
const undiciProxy = `${undici} export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';`;

/** Attune does not turn on HTTP/2, sends no forms and refuses SOCKS proxies. */
const unused = {
  './client-h2.js': 'HTTP/2',
  '../web/fetch/body.js': 'a form',
  './socks5-proxy-agent.js': 'a SOCKS proxy',
};
const unusedTexts = Object.fromEntries(
  Object.entries(unused).map(([path, name]) => [
    path,
    `module.exports = () => { throw new Error('${name} is not supported'); };`,
  ]),
);

/** Modules that the build makes. They import no module of Attune. */
const made = [
  'desired/schema/compiled-schema',
  'emulator/seed/compiled-seed-schema',
  'report/html/page-assets',
];
const madeModule = new RegExp(`/(${made.map((module) => basename(module)).join('|')})\\.js$`);

const texts = { undici, 'undici-proxy': undiciProxy, 'child-process': '', ...unusedTexts };

const parts = {
  name: 'parts-of-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ importer }) => ({
      path: importer.endsWith('proxy-pool.js') ? 'undici-proxy' : 'undici',
      namespace: 'part',
    }));
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({ contents: texts[path], resolveDir: root }));
    onResolve({ filter: madeModule }, ({ path }) => ({
      path: `./${basename(path)}`,
      external: true,
    }));
    // The two builds of its parser are half of undici, and the embedded service needs none.
    onResolve({ filter: /\/llhttp(_simd)?-wasm\.js$/ }, ({ path }) => ({
      path: `undici/lib/llhttp/${basename(path)}`,
      external: true,
    }));
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) =>
      path in unused && importer.includes('undici') ? { path, namespace: 'part' } : undefined,
    );
    // Only commands in separate executables need it, which Attune has none of.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'child-process', namespace: 'part' } : undefined,
    );
    // The modules of the other build are CommonJS, which cannot be bundled into one scope.
    onResolve({ filter: /^yaml$/ }, () => ({ path: join(root, 'node_modules/yaml/browser/dist/index.js') }));
  },
};

const options = {
  absWorkingDir: root,
  outdir: 'dist/cli',
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

const { metafile, outputFiles } = await build({
  ...options,
  entryPoints: { main: 'build/cli/main.js', 'pack-worker': 'build/desired/files/pack-worker.js' },
  entryNames: '[name]',
  splitting: true,
  format: 'esm',
  metafile: true,
  plugins: [parts],
  // Few runs need these: they stay packages.
  external: [
    '@marcbachmann/cel-js',
    '@opentelemetry/api',
    'ajv/dist/2020.js',
    'diff',
    'fast-xml-builder',
    'prom-client',
    're2js',
  ],
  define: { 'import.meta.url': 'fileUrl' },
});
const outputs = Object.fromEntries(
  Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
);

/** What most runs of a command load is one file. The modules that are named here are those that are loaded with `import()`. */
const groups = {
  'start.js': ['cli/main', 'cli/run-session', 'cli/organizations/load', 'cli/report-checked'],
  'plan.js': [
    'cli/files/output-files',
    'cli/organizations/connect',
    'cli/organizations/plan-roots',
    'cli/report-plans',
    'emulator/embedded',
  ],
};
const groupOf = new Map();
for (const [group, modules] of Object.entries(groups)) {
  for (const module of modules) addToGroup(outputOf(module), group);
}

// esbuild splits ES modules only, and Node loads CommonJS several times as fast.
const chunksOf = new Map();
for (const { path, text } of outputFiles) {
  const chunk = basename(path);
  const file = groupOf.get(chunk) ?? chunk;
  const code = await commonJs(text, groupOf, groupOf.get(chunk));
  chunksOf.set(file, [...(chunksOf.get(file) ?? []), [chunk, code]]);
}
const written = new Map();
for (const [file, chunks] of chunksOf) {
  written.set(file, helpers + (file in groups ? groupCode(chunks) : chunks[0][1]));
}
// The library loads these files, too.
for (const module of made) {
  const { outputFiles } = await build({ ...options, entryPoints: [`build/${module}.js`], format: 'cjs' });
  written.set(`${basename(module)}.js`, outputFiles[0].text);
}
const digest = createHash('sha256');
for (const [file, code] of written) digest.update(`${file}\0${code}\0`);
const bundle = { digest: digest.digest('hex').slice(0, 32), commands: commandNames() };
const bin = await build({
  ...options,
  entryPoints: { bin: 'build/cli/bundled-bin.js' },
  format: 'cjs',
  minifyIdentifiers: true,
  define: { bundle: JSON.stringify(bundle), 'import.meta.url': 'fileUrl' },
  banner: { js: 'const fileUrl=require("node:url").pathToFileURL(__filename).href;' },
});
written.set('bin.js', bin.outputFiles[0].text);
written.set('package.json', '{"type":"commonjs"}\n');

mkdirSync(join(root, 'dist/cli'), { recursive: true });
for (const [file, text] of written) writeFileSync(join(root, 'dist/cli', file), text);

// The largest modules are in the package once: the library loads those of the program.
for (const module of made) {
  const names = Object.keys(await import(`../build/${module}.js`));
  const exported = names.includes('default') ? 'default program.default' : `const {${names}}=program`;
  const code = `import program from "../../cli/${basename(module)}.js";export ${exported};\n`;
  writeFileSync(join(root, 'dist', `${module}.js`), code);
}

writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), packageNotices(root, metafile).join('\n'));

/** The file that has the module and what it imports at once. */
function outputOf(module) {
  const [file] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `build/${module}.js`) ?? [];
  if (file === undefined) throw new Error(`no code loads the module ${module} with import()`);
  return file;
}

function addToGroup(file, group) {
  if (groupOf.has(file)) return;
  groupOf.set(file, group);
  for (const { path, kind, external } of outputs[file].imports) {
    if (kind === 'import-statement' && !external) addToGroup(basename(path), group);
  }
}

/** The first words of command lines. The last one is that of the completion scripts. */
function commandNames() {
  const files = readdirSync(join(root, 'build/cli/commands'));
  return [...files.map((name) => name.replace(/\.js$/, '')), '__complete'];
}
