// Bundles the stylesheet and the script of the HTML report into the module that src/report/html/page-assets.d.ts
// declares. The build writes it into build; under vitest, vitest.config.ts serves it from source.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const folder = fileURLToPath(new URL('../src/report/html/', import.meta.url));

export function pageAssetsCode() {
  const style = bundled('styles/page.css');
  const script = bundled('browser/page.ts');
  return `export const style = ${JSON.stringify(style)};\nexport const script = ${JSON.stringify(script)};\n`;
}

function bundled(file) {
  const { outputFiles } = buildSync({
    entryPoints: [folder + file],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    // The minifier lowers nothing: the page needs what browsers of the last years have.
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

export function writePageAssets() {
  writeFileSync(new URL('../build/report/html/page-assets.js', import.meta.url), pageAssetsCode());
}
