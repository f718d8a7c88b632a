// Compiles the published schemas of configurations and seeds into modules of build, so that no start has to.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { ajvOptions, schemaFile, schemaParts } from '../build/desired/schema/validate.js';
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
const compiled = await write(
  'desired/schema/compiled-schema.js',
  `${code}\nexport default { ${members.join(', ')} };\n`,
);

const seeds = new Ajv2020({ ...seedSchemaOptions, code: { source: true, esm: true } });
const validate = seeds.compile(schema(seedSchemaFile));
const compiledSeed = await write(
  'emulator/seed/compiled-seed-schema.js',
  standalone.default(seeds, validate),
);

/** What esbuild has put into the modules. */
export const metafiles = [compiled, compiledSeed];

/** Without texts for readers and editors, which no message contains: V8 reads the whole module at each start. */
function schema(file) {
  return JSON.parse(readPackageFile(file), (key, value) => {
    const isText = key === 'description' && typeof value === 'string';
    return isText || (Array.isArray(value) && key === 'examples') ? undefined : value;
  });
}

async function write(file, source) {
  const outfile = fileURLToPath(new URL(`../build/${file}`, import.meta.url));
  // What Ajv emits requires its run-time helpers, which are part of the module then.
  const stdin = { contents: source, resolveDir: dirname(outfile) };
  const options = { bundle: true, format: 'esm', platform: 'node', minify: true, metafile: true };
  const { metafile } = await build({ stdin, outfile, ...options });
  return metafile;
}
