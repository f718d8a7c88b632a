import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from '../scripts/generate/outputs.mjs';
import * as places from '../src/cdktf/places.ts';
import * as program from '../src/cli/program.ts';
import * as language from '../src/desired/schema/language.ts';
import * as table from '../src/model/attribute-table.ts';
import * as attributes from '../src/model/attributes.ts';
import * as schema from '../src/model/json-schema.ts';
import * as permissions from '../src/model/permissions.ts';
import type { AttributeSpec } from '../src/model/rows.ts';
import * as policies from '../src/policy/subjects.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test.each(
  await generatedFiles(
    { ...table, ...attributes, ...permissions, ...language, ...policies, ...places, ...program, schema },
    read,
  ),
)('the generated file %s is what `npm run generate` writes', (file, text) => {
  expect(read(file)).toBe(file.endsWith('.md') ? text : formatted(file, text));
});

test('a new boolean attribute needs one row, and every file that is generated from the attribute rows then has it', async () => {
  const row: AttributeSpec = {
    type: 'boolean',
    default: false,
    nullable: false,
    description: 'Pauses all runs.',
    terraform: { resource: 'tfe_workspace', whenOmitted: 'kept' },
  };
  const rows = { ...table.workspaceAttributes, 'pause-runs': row };
  const place = { resource: 'tfe_workspace', argument: 'pause_runs', leftOut: 'kept' };
  const model = {
    ...permissions,
    ...language,
    ...policies,
    ...attributes,
    ...table,
    workspaceAttributes: rows,
    ...places,
    ...program,
    schema,
    attributePaths: Object.keys(rows),
    attributePlaces: { ...places.attributePlaces, 'pause-runs': place },
  };
  const without = (await generatedFiles(model, read))
    .filter(([file]) => file !== 'docs/commands.md' && file !== 'docs/guides/policies.md')
    .filter(([, text]) => !/pause-runs|pauseRuns/.test(text))
    .map(([file]) => file);
  expect(without).toEqual([]);
});

function formatted(file: string, input: string): string {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const argv = [biome, 'format', `--stdin-file-path=${file}`];
  return spawnSync(process.execPath, argv, { cwd: root, input, encoding: 'utf8' }).stdout;
}
