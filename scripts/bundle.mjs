// Bundles the command line with the packages that it uses into the CommonJS files of dist/cli, and writes their licences into
// dist/THIRD-PARTY-NOTICES.txt. dist/cli/bin.js loads the others.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformSync } from 'esbuild';
import { metafiles } from './compile-schemas.mjs';
import { packageNotices } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = 'node20.19';

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

/** esbuild keeps no names when a CommonJS package is imported with `import()`. */
const { default: _, ...yamlNames } = await import('yaml');
const yaml = `export { ${Object.keys(yamlNames)} } from 'yaml';`;

const texts = { undici, yaml, none: '' };

const parts = {
  name: 'parts-of-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'part' }));
    onResolve({ filter: /^yaml$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, namespace: 'part' } : undefined,
    );
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

// Node takes most of a start to compile what it loads: a command loads only the files that it needs.
const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: { bin: 'build/cli/bin.js' },
  outdir: 'dist/cli',
  write: false,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [parts],
  // Few runs need these, and they have CommonJS: they stay packages.
  external: ['ajv/dist/2020.js', 'diff', 'prom-client', 're2js'],
  metafile: true,
});

for (const { path, text } of outputFiles) {
  // Node loads CommonJS faster, and esbuild splits only ES modules. A package that has only ES modules is bundled.
  const { code } = transformSync(text, {
    platform: 'node',
    format: 'cjs',
    target,
    minify: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'fileUrl' },
    ...(text.includes('import.meta.url') && {
      banner: 'const fileUrl=require("node:url").pathToFileURL(__filename).href;',
    }),
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}
writeFileSync(join(root, 'dist/cli/package.json'), '{"type":"commonjs"}\n');
writeFileSync(
  join(root, 'dist/THIRD-PARTY-NOTICES.txt'),
  packageNotices(root, metafile, ...metafiles).join('\n'),
);
