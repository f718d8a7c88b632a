// Compiles the published schema into dist/desired/schema/compiled-schema.js, so that no start has to.
import { writeFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';
import { ajvOptions, schemaFile, schemaParts } from '../dist/desired/schema/schema.js';
import { readPackageFile } from '../dist/model/package-files.js';

const ajv = new Ajv2020({ ...ajvOptions, code: { source: true, esm: true } });
ajv.addSchema(JSON.parse(readPackageFile(schemaFile)), 'attune');
const names = {};
Object.entries(schemaParts).forEach(([part, $ref], index) => {
  ajv.addSchema({ $ref }, part);
  names[`part${index}`] = part;
});

const code = standalone
  .default(ajv, names)
  // What it emits for a module still requires its run-time helpers.
  .replaceAll(
    /const (\w+) = require\("([^"]+)"\)\.default/g,
    // Node returns the exports of a CommonJS module, bundlers and vitest its `default`.
    'import $1Module from "$2.js"; const $1 = $1Module.default ?? $1Module',
  );
if (code.includes('require(')) throw new Error('the compiled schema requires something');

const members = Object.entries(names).map(([name, part]) => `${JSON.stringify(part)}: ${name}`);
const file = new URL('../dist/desired/schema/compiled-schema.js', import.meta.url);
const { code: minified } = await transform(`${code}\nexport default { ${members.join(', ')} };\n`, {
  minify: true,
});
await writeFile(file, minified);
