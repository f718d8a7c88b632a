// Bundles the command line with the packages that it uses into dist/cli, so that a start loads few files. What a command loads when
// it is called is in chunks. Writes the licences of the bundled packages into dist/THIRD-PARTY-NOTICES.txt.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

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

const parts = {
  name: 'parts-of-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ importer }) => ({
      path: importer.endsWith('proxy-pool.js') ? 'undici-proxy' : 'undici',
      namespace: 'part',
    }));
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
      contents: path === 'undici' ? undici : undiciProxy,
      resolveDir: root,
    }));
    // The modules of the other build are CommonJS, which cannot be bundled into one scope.
    onResolve({ filter: /^yaml$/ }, () => ({ path: join(root, 'node_modules/yaml/browser/dist/index.js') }));
  },
};

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { bin: 'build/cli/bin.js' },
  outdir: 'dist/cli',
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names stay as they are, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [parts],
  // Few runs need these: they stay packages.
  external: ['@opentelemetry/api', 'ajv/dist/2020.js', 'prom-client', 're2js'],
  define: { 'import.meta.url': 'fileUrl' },
});

// esbuild splits ES modules only, and Node loads CommonJS several times as fast.
mkdirSync(join(root, 'dist/cli'), { recursive: true });
writeFileSync(join(root, 'dist/cli/package.json'), '{"type":"commonjs"}\n');
for (const { path, text } of outputFiles) {
  const required = text.replaceAll(/\bimport\(("\.\/[^"]+")\)/g, 'Promise.resolve().then(()=>require($1))');
  const { code } = await transform(required, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
    banner: text.includes('fileUrl')
      ? 'const fileUrl=require("node:url").pathToFileURL(__filename).href;'
      : '',
  });
  writeFileSync(path, code);
}

const packages = new Set();
for (const file of Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))) {
  const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  if (name !== undefined) packages.add(name);
}
writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), [...packages].sort().map(notice).join('\n'));

function notice(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((found) => /^licen[cs]e(\.|$)/i.test(found));
  if (file === undefined) throw new Error(`the package ${name} has no licence text to distribute`);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n\n${text}\n`;
}
