// The program as one CommonJS file: the only form that Node runs from inside an executable.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageNotices } from '../notices.mjs';
import { pageAssetsCode } from '../page-assets.mjs';

/** Files that the program reads from its package. */
const folders = ['schemas', 'completions', 'examples/ci'];

/**
 * @param {string} root
 * @returns the code, and the licences of the packages in it
 */
export async function bundle(root) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'src/cli/bin.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    // Stack traces in reports of defects name the functions.
    keepNames: true,
    // Optional: with them, the program is installed as a package.
    external: ['cdktf', 'cdktn', 'constructs'],
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { 'import.meta.url': 'moduleUrl' },
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    plugins: [embedded(root)],
  });
  return { code: outputFiles[0].text, notices: packageNotices(root, Object.keys(metafile.inputs)) };
}

/** Replaces the modules that read the package, or that the build writes. */
function embedded(root) {
  return {
    name: 'embedded',
    setup: ({ onLoad, onResolve }) => {
      onLoad({ filter: /[\\/]model[\\/]package-files\.ts$/ }, () => ({ contents: packageFilesCode(root) }));
      onResolve({ filter: /\/compiled-schema\.js$/ }, () => ({
        path: join(root, 'build/desired/schema/compiled-schema.js'),
      }));
      onResolve({ filter: /\/compiled-seed-schema\.js$/ }, () => ({
        path: join(root, 'build/emulator/seed/compiled-seed-schema.js'),
      }));
      onResolve({ filter: /\/page-assets\.js$/ }, () => ({ path: 'page-assets', namespace: 'embedded' }));
      onLoad({ filter: /^page-assets$/, namespace: 'embedded' }, () => ({ contents: pageAssetsCode() }));
    },
  };
}

function packageFilesCode(root) {
  const { name, version, homepage, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const texts = { 'package.json': JSON.stringify({ name, version, homepage, bugs }) };
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      texts[file.slice(join(root, '/').length).replaceAll('\\', '/')] = readFileSync(file, 'utf8');
    }
  }
  return `const texts = ${JSON.stringify(texts)};
export function readPackageFile(path) {
  if (!Object.hasOwn(texts, path)) throw new Error(\`\${path} is not in the executable\`);
  return texts[path];
}`;
}
