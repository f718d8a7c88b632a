import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AttuneError } from '../../src/model/diagnostic.ts';
import { renderReport } from '../../src/report/render-report.ts';
import type { RunSettings } from '../../src/run/context.ts';
import { RefusedError } from '../../src/run/errors.ts';
import {
  acceptLive,
  applyFiles,
  applySavedPlan,
  applyUndo,
  detectDrift,
  importOrganization,
  planFiles,
} from '../../src/run/use-cases.ts';
import { folderWith, type World, worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const seed = {
  organization: 'acme',
  workspaces: { network: { tags: ['staging'], 'iac-version': '1.9.5' }, vault: {} },
};
const files = {
  'attune.yaml':
    'attune: 1\norganization: acme\nworkspaces: {network: {iac-version: "1.10.2", tags: [prod]}, vault: {}}\n',
};
/** The second root file has an error. */
const beside = { ...files, 'other.yaml': 'attune: 1\norganization: other\nworkspace: {}\n' };

function settingsOf({ folder, service }: World) {
  return { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' }, address: service.url };
}

test('the library plans root files as the command plan does, and a root file with errors is part of the report', async () => {
  const world = await worldWith(beside, { seed });
  const roots = ['attune.yaml', 'other.yaml'];
  const { plans, failed, report } = await planFiles(roots, settingsOf(world));
  const printed = await world.attune('plan', ...roots);
  expect(plans.map(({ organization }) => organization)).toEqual(['acme']);
  expect(failed).toMatchObject([{ root: 'other.yaml', diagnostics: [{ code: 'unknown-key' }] }]);
  expect((await detectDrift(roots, settingsOf(world))).failed).toEqual(failed);
  expect(await renderReport(report, 'text')).toBe(`${printed.stdout}\n${printed.stderr}`);
});

const uses = {
  plan: (options: RunSettings) => planFiles([], options),
  apply: (options: RunSettings) => applyFiles([], options),
  import: (options: RunSettings) => importOrganization(options),
  'apply a saved plan': (options: RunSettings) => applySavedPlan('', options),
};

test.each(rowsIn<[string, keyof typeof uses, object, string, string?]>`
- [two options that exclude each other, apply, {journal: run.jsonl, noJournal: true}, --journal cannot be used with --no-journal, remove one of them]
- [an unknown pattern, apply, {only: [workspace.valt]}, --only workspace.valt matches nothing]
- [an empty output file, plan, {out: ''}, '--out cannot be written: it names no file', name a file in an existing and writable folder]
- [an empty journal, apply, {journal: ''}, '--journal cannot be written: it names no file', name a file in an existing and writable folder]
- [an empty plan file, apply a saved plan, {}, the name of a file is empty, 'use a file that plan or undo wrote with --out']
- [an empty program, plan, {app: ''}, the command of a program is empty, name the program with its arguments]
- [a number that is too small, plan, {parallelism: 0.5}, parallelism cannot be 0.5, use a whole number from 1]
- [a negative number, import, {maxDeletes: -1}, maxDeletes cannot be -1, use a whole number from 0]
- [no number, apply, {maxDeletes: .nan}, maxDeletes cannot be NaN, use a whole number from 0]
- [a part after the last, apply, {shard: {index: 3, count: 2}}, 'shard cannot be { index: 3, count: 2 }', use whole numbers with an index from 1 to the count]
- [another type than a date, plan, {at: '2026-12-24'}, "at cannot be '2026-12-24'", use a valid Date]
- [a text, apply a saved plan, {rate: '5'}, "rate cannot be '5'", use a number above 0]
`)('the library refuses %s', async (_case, use, options, message, hint) => {
  const world = await worldWith(files, { seed });
  const error = await uses[use]({ ...settingsOf(world), ...options }).catch((reason: unknown) => reason);
  if (!(error instanceof AttuneError)) throw error;
  expect([error.message.replace(`${world.folder}/`, ''), error.hint]).toEqual([message, hint]);
});

test('the progress of a run ends when its connections are closed', async () => {
  const root = 'attune: 1\norganization: acme\nservice: {address: embedded}\nworkspaces: {web: {}}\n';
  const folder = await folderWith({ 'attune.yaml': root });
  const ends: boolean[] = [];
  const end = () =>
    void ends.push(readdirSync(join(folder, '.attune')).some((name) => name.endsWith('.lock')));
  await detectDrift([], { cwd: folder, env: {}, observer: { end } });
  expect(ends).toEqual([true, false]);
});

test('the library detects drift as the command drift does, and none after an apply', async () => {
  const world = await worldWith(files, { seed });
  const { hasDrift, report } = await detectDrift([], settingsOf(world));
  expect([hasDrift, await renderReport(report, 'text')]).toEqual([
    true,
    (await world.attune('drift')).stdout,
  ]);
  const applied = await applyFiles([], settingsOf(world));
  expect([applied.isComplete, applied.undoCommand]).toEqual([true, 'attune undo --last']);
  expect((await detectDrift([], settingsOf(world))).hasDrift).toBe(false);
});

test('the library applies a saved plan, and refuses one of which a workspace has changed before the first write', async () => {
  const world = await worldWith(files, { seed });
  await planFiles([], { ...settingsOf(world), out: 'plan.json' });
  await planFiles([], { ...settingsOf(world), out: 'stale.json' });
  const applied = await applySavedPlan('plan.json', settingsOf(world));
  expect([applied.isComplete, applied.results.length]).toEqual([true, 1]);

  const manual =
    'attune: 1\norganization: acme\nworkspaces: {network: {iac-version: "1.11.0", tags: [dev]}}\n';
  await writeFile(join(world.folder, 'manual.yaml'), manual);
  await applyFiles(['manual.yaml'], settingsOf(world));
  world.service.clearRequests();
  const error = await applySavedPlan('stale.json', settingsOf(world)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RefusedError);
  expect(String(error)).toContain('the live state changed after the plan was saved');
  expect(world.writes()).toEqual([]);
  const refused = await world.attune('apply', '--plan', 'stale.json', '--yes');
  for (const message of (error as RefusedError).message.split('\n'))
    expect(refused.stderr).toContain(message);
});

test('the library undoes the newest journal, and an undo that keeps a changed value is not complete', async () => {
  const world = await worldWith(files, { seed });
  await applyFiles([], settingsOf(world));
  const notices: string[] = [];
  const observer = { inform: (text: string) => notices.push(text) };
  const undone = await applyUndo({ ...settingsOf(world), observer });
  expect([undone.isComplete, notices]).toEqual([
    true,
    [expect.stringMatching(/^Undoing \.attune\/journal\//)],
  ]);
  expect((await world.attune('drift')).code).toBe(2);

  await applyFiles([], { ...settingsOf(world), journal: 'run.jsonl' });
  const manual = 'attune: 1\norganization: acme\nworkspaces: {network: {iac-version: "1.11.0"}}\n';
  await writeFile(join(world.folder, 'manual.yaml'), manual);
  await applyFiles(['manual.yaml'], settingsOf(world));
  const kept = await applyUndo({ ...settingsOf(world), undo: 'run.jsonl' });
  expect(kept.isComplete).toBe(false);
});

test('observers that throw change no result, and their own unknownError gets what they threw', async () => {
  const world = await worldWith(files, { seed });
  const thrown: unknown[] = [];
  const fail = (hook: string) => () => {
    throw new Error(hook);
  };
  const observer = {
    begin: async () => fail('begin')(),
    step: fail('step'),
    observe: fail('observe'),
    end: fail('end'),
    diagnostics: fail('diagnostics'),
    inform: fail('inform'),
    unknownError(error: unknown) {
      thrown.push(String(error));
      throw error;
    },
  };
  const applied = await applyFiles([], { ...settingsOf(world), observer });
  expect([applied.isComplete, applied.undoCommand]).toEqual([true, 'attune undo --last']);
  expect((await applyUndo({ ...settingsOf(world), observer })).isComplete).toBe(true);
  const hooks = ['begin', 'step', 'observe', 'end', 'inform'].map((hook) => `Error: ${hook}`);
  expect(new Set(thrown)).toEqual(new Set(hooks));
});

test('the library accepts live values as the command accept does, and no file changes with dryRun', async () => {
  const world = await worldWith(files, { seed });
  const text = () => readFile(join(world.folder, 'attune.yaml'), 'utf8');
  const options = { ...settingsOf(world), fields: ['iac-version'] };
  const printed = await world.attune(
    'accept',
    '--all',
    '--field',
    'iac-version',
    '--dry-run',
    '--format',
    'json',
  );
  const shown = await acceptLive(['*'], { ...options, dryRun: true });
  expect(await text()).toBe(files['attune.yaml']);
  const { fields, declared, diagnostics } = JSON.parse(printed.stdout);
  expect(shown).toMatchObject({ fields, declared, diagnostics, isDryRun: true });

  const { isDryRun, ...accepted } = await acceptLive(['*'], options);
  expect({ ...accepted, isDryRun: true }).toEqual(shown);
  expect(await text()).toBe(accepted.files[0]?.after);
  const [plan] = (await planFiles([], settingsOf(world))).plans;
  expect(plan?.changes.flatMap((change) => change.fields.map(({ path }) => path))).toEqual(['tags']);
  expect(world.writes()).toEqual([]);
});

test('the library imports an organization as the command import does, and never overwrites a file unless it is asked to', async () => {
  const world = await worldWith({}, { seed });
  const options = { ...settingsOf(world), organization: 'acme' };
  const imported = await importOrganization({ ...options, out: 'a' });
  const printed = await world.attune('import', '--organization', 'acme', '--out', 'b', '--format', 'json');
  const document = JSON.parse(printed.stdout.replaceAll('"b/', '"a/'));
  expect(document).toMatchObject({ files: imported.files, diagnostics: imported.diagnostics });
  expect(imported.planCommand).toBe('attune plan a');
  expect((await planFiles(['a'], settingsOf(world))).plans[0]?.changes).toEqual([]);

  await expect(importOrganization({ ...options, out: 'a' })).rejects.toMatchObject({ code: 'file-exists' });
  const outcomes = async (existing: 'update' | 'overwrite') =>
    (await importOrganization({ ...options, out: 'a', existing })).files.map(({ outcome }) => outcome);
  expect(await outcomes('overwrite')).toEqual(imported.files.map(() => 'unchanged'));
  expect(await outcomes('update')).toEqual([]);
});
