// Bundles the command line with the packages that it uses into the CommonJS files of dist/cli, and writes their licences into
// dist/THIRD-PARTY-NOTICES.txt. dist/cli/bin.js loads the others.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { packageNotices } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The index of undici loads its whole `fetch`, which takes longer than everything that Attune uses of it. Its HTTP parser is one
 * large WebAssembly function: optimizing it takes 30 MB and gains nothing that can be measured.
 */
const undici = `
  import { setFlagsFromString } from 'node:v8';
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import request from 'undici/lib/api/api-request.js';
  import connect from 'undici/lib/api/api-connect.js';
  setFlagsFromString('--liftoff-only');
  Object.assign(Dispatcher.prototype, { request, connect });
  export { default as Pool } from 'undici/lib/dispatcher/pool.js';
  export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
  export { default as buildConnector } from 'undici/lib/core/connect.js';
`;

/** A CommonJS package that is imported with \`import()\` has no names. */
const { default: _, ...yamlNames } = await import('yaml');
// Node 24 also lists the name `module.exports` of a CommonJS package.
const yaml = `export { ${Object.keys(yamlNames).filter((name) => /^\w+$/.test(name))} } from 'yaml';`;

const parts = { undici, yaml, none: '' };

const partsOfPackages = {
  name: 'parts-of-packages',
  resolveId(path, importer = '', { kind }) {
    if (path === 'undici' || (path === 'yaml' && kind === 'dynamic-import'))
      return join(root, `${path}.part.js`);
    // The two builds of its parser are half of undici, and a run loads one of them.
    if (/\/llhttp(_simd)?-wasm\.js$/.test(path))
      return { id: `undici/lib/llhttp/${basename(path)}`, external: true };
    // Only commands in separate executables need it, which Attune has none of.
    return path === 'node:child_process' && importer.includes('commander')
      ? join(root, 'none.part.js')
      : undefined;
  },
  load: (id) => (id.endsWith('.part.js') ? parts[basename(id, '.part.js')] : undefined),
};

/**
 * Node takes most of a start to find, read and compile files. So one file has what prints the version, one what every run on a
 * configuration needs, and one what a plan needs in addition. The others are divided by the commands that need them.
 */
const groups = [
  ['version', 'run/manifest.js'],
  ['core', 'cli/main.js', 'cli/emit.js', 'cli/commands/validate.js'],
  ['plan', 'cli/commands/plan.js', 'report/text/text.js', 'emulator/embedded.js'],
].map(([name, ...modules], index, { length }) => {
  const files = new Set(modules.map((module) => join(root, 'build', module)));
  return { name, test: (id) => files.has(id), priority: length - index };
});

const program = await rolldown({
  cwd: root,
  input: { bin: 'build/cli/bin.js' },
  platform: 'node',
  transform: { target: 'node20.19' },
  plugins: [partsOfPackages],
  // Few runs need these, and they have CommonJS: they stay packages.
  external: ['ajv/dist/2020.js', 'diff', 'prom-client', 're2js'],
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await program.generate({
  // Node loads it faster than ES modules. A package that has only ES modules is bundled.
  format: 'cjs',
  dynamicImportInCjs: false,
  minify: true,
  comments: { legal: false },
  chunkFileNames: '[name].js',
  codeSplitting: { groups },
});
mkdirSync(join(root, 'dist/cli'), { recursive: true });
for (const { fileName, code } of output) {
  // V8 keeps a file with other characters in two bytes for each.
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those of ASCII
  writeFileSync(join(root, 'dist/cli', fileName), code.replaceAll(/[^\x00-\x7f]/g, escaped));
}
writeFileSync(join(root, 'dist/cli/package.json'), '{"type":"commonjs"}\n');
writeFileSync(
  join(root, 'dist/THIRD-PARTY-NOTICES.txt'),
  packageNotices(
    root,
    output.flatMap((file) => file.moduleIds ?? []),
  ).join('\n'),
);
