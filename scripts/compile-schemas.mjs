// Compiles the published schemas of configurations and seeds into modules of build, so that no start has to.
import { writeFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';
import { ajvOptions, schemaFile, schemaParts } from '../build/desired/schema/schema.js';
import { seedSchemaFile, seedSchemaOptions } from '../build/emulator/seed/load-seed.js';
import { readPackageFile } from '../build/model/package-files.js';

const ajv = new Ajv2020({ ...ajvOptions, code: { source: true, esm: true } });
ajv.addSchema(schema(schemaFile), 'attune');
const names = {};
Object.entries(schemaParts).forEach(([part, $ref], index) => {
  ajv.addSchema({ $ref }, part);
  names[`part${index}`] = part;
});
const members = Object.entries(names).map(([name, part]) => `${JSON.stringify(part)}: ${name}`);
const code = standalone.default(ajv, names);
await write('desired/schema/compiled-schema.js', `${code}\nexport default { ${members.join(', ')} };\n`);

const seeds = new Ajv2020({ ...seedSchemaOptions, code: { source: true, esm: true } });
const validate = seeds.compile(schema(seedSchemaFile));
await write('emulator/seed/compiled-seed-schema.js', standalone.default(seeds, validate));

/** Without texts for readers and editors, which no message contains: V8 reads the whole module at each start. */
function schema(file) {
  return JSON.parse(readPackageFile(file), (key, value) => {
    const isText = key === 'description' && typeof value === 'string';
    return isText || (Array.isArray(value) && /^(defaultSnippets|examples)$/.test(key)) ? undefined : value;
  });
}

async function write(file, source) {
  // What Ajv emits for a module still requires its run-time helpers.
  const imports = shorter(source).replaceAll(
    /const (\w+) = require\("([^"]+)"\)\.default/g,
    // Node returns the exports of a CommonJS module, bundlers and vitest its `default`.
    'import $1Module from "$2.js"; const $1 = $1Module.default ?? $1Module',
  );
  if (imports.includes('require(')) throw new Error(`${file} requires something`);
  const { code: minified } = await transform(imports, { minify: true });
  await writeFile(new URL(`../build/${file}`, import.meta.url), minified);
}

/** Ajv writes these statements for each error. */
function shorter(source) {
  const statements =
    /if\s*\(vErrors === null\)\s*\{\s*vErrors = \[(err\d+)\];\s*\}\s*else\s*\{\s*vErrors\.push\(\1\);\s*\}/g;
  const append =
    'function append(errors, error) { return errors === null ? [error] : (errors.push(error), errors); }';
  return `${source.replaceAll(statements, 'vErrors = append(vErrors, $1);')}\n${append}\n`;
}
