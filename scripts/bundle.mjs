// Bundles the command line with the packages that it uses into dist/cli, so that a start loads few files. What a command loads when
// it is called is in chunks. Writes the licences of the bundled packages into dist/THIRD-PARTY-NOTICES.txt.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
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

/** Attune does not turn on HTTP/2. */
const http2 = `module.exports = () => { throw new Error('HTTP/2 is not supported'); };`;

const texts = { undici, 'undici-proxy': undiciProxy, http2, 'child-process': '' };

const parts = {
  name: 'parts-of-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ importer }) => ({
      path: importer.endsWith('proxy-pool.js') ? 'undici-proxy' : 'undici',
      namespace: 'part',
    }));
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({ contents: texts[path], resolveDir: root }));
    // Its parser for processors without SIMD doubles the size of undici.
    onResolve({ filter: /\/llhttp-wasm\.js$/ }, () => ({
      path: 'undici/lib/llhttp/llhttp-wasm.js',
      external: true,
    }));
    onResolve({ filter: /^\.\/client-h2\.js$/ }, () => ({ path: 'http2', namespace: 'part' }));
    // Only commands in separate executables need it, which Attune has none of.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'child-process', namespace: 'part' } : undefined,
    );
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
for (const { path, text } of outputFiles) writeFileSync(path, await commonJs(text));

// The largest modules are in the package once: the library loads those of the program.
for (const module of ['desired/schema/compiled-schema', 'emulator/seed/compiled-seed-schema']) {
  const file = outputFiles
    .map(({ path }) => basename(path))
    .find((name) => name.startsWith(basename(module)));
  writeFileSync(
    join(root, 'dist', `${module}.js`),
    `import program from "../../cli/${file}";export default program.default;\n`,
  );
}

writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), packageNotices(root, metafile).join('\n'));

/** CommonJS that loads another chunk, or a module of Node, when a name of it is used for the first time. */
async function commonJs(text) {
  const required = text
    .replaceAll(/\bimport\(("\.\/[^"]+")\)/g, 'Promise.resolve().then(()=>require($1))')
    // For the order only: no module but the first has side effects (package.json).
    .replaceAll(/\bimport"\.\/chunk-[^"]+";/g, '');
  const { code } = await transform(required, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const imported =
    /\b(import_\w+)=(__toESM\(require\("(?:node:|\.\/)[^"]+"\)(?:,1)?\)|require\("(?:node:|\.\/)[^"]+"\))/g;
  let lazy = code.replaceAll(imported, '$1_');
  const getters = [...code.matchAll(imported)].map(([, name, loaded]) => {
    lazy = lazy.replaceAll(new RegExp(`\\b${name}\\.`, 'g'), `lazy.${name}.`);
    return `get ${name}(){return ${name}_??=${loaded}}`;
  });
  const started = lazy
    .replace(/^(#!.*\n)?/, (shebang) => `${shebang}const lazy={${getters}};`)
    .replaceAll(/\bfileUrl\b/g, 'require("node:url").pathToFileURL(__filename).href');
  return (await transform(started, { minify: true, platform: 'node', target: 'node20.19' })).code;
}
