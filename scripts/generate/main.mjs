// Writes the schemas, types and tables that follow from the attribute rows and the commands. `--check` lists stale files and writes nothing.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as places from '../../build/cdktf/places.js';
import * as program from '../../build/cli/program.js';
import * as language from '../../build/desired/schema/language.js';
import * as table from '../../build/model/attribute-table.js';
import * as attributes from '../../build/model/attributes.js';
import * as schema from '../../build/model/json-schema.js';
import * as permissions from '../../build/model/permissions.js';
import * as policies from '../../build/policy/subjects.js';
import { generatedFiles } from './outputs.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file) => readFileSync(root + file, 'utf8');
for (const [file, text] of await generatedFiles(
  { ...table, ...attributes, ...permissions, ...language, ...policies, ...places, ...program, schema },
  read,
)) {
  writeFileSync(root + file, file.endsWith('.md') ? text : formatted(file, text));
}

function formatted(file, text) {
  const biome = ['biome', 'format', `--stdin-file-path=${file}`];
  const { status, stdout, stderr } = spawnSync('npx', biome, { cwd: root, input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} cannot be formatted: ${stderr}`);
  return stdout;
}
