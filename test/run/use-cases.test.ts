import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderReport } from '../../src/report/render-report.ts';
import { RefusedError } from '../../src/run/errors.ts';
import { applyFiles, applySavedPlan, applyUndo, detectDrift, planFiles } from '../../src/run/use-cases.ts';
import { type World, worldWith } from '../support/attune.ts';

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

describe('the library', () => {
  test('plans root files as the command plan does, and a root file with errors is part of the report', async () => {
    const world = await worldWith(beside, { seed });
    const roots = ['attune.yaml', 'other.yaml'];
    const { plans, report } = await planFiles(roots, settingsOf(world));
    const printed = await world.attune('plan', ...roots);
    expect(plans.map(({ organization }) => organization)).toEqual(['acme']);
    expect(await renderReport(report, 'text')).toBe(`${printed.stdout}\n${printed.stderr}`);
  });

  test('detects drift as the command drift does, and none after an apply', async () => {
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

  test('applies a saved plan, and refuses one of which a workspace has changed before the first write', async () => {
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
    expect(String(error)).toContain('the plan is stale: workspace.network changed after the plan was saved');
    expect(world.writes()).toEqual([]);
    const refused = await world.attune('apply', '--plan', 'stale.json', '--yes');
    for (const message of (error as RefusedError).message.split('\n'))
      expect(refused.stderr).toContain(message);
  });

  test('applies a saved plan without configuration files only if it is trusted', async () => {
    const world = await worldWith(files, { seed });
    await planFiles([], { ...settingsOf(world), out: 'plan.json' });
    const elsewhere = await worldWith({}, { seed });
    const settings = { ...settingsOf(world), cwd: elsewhere.folder };
    const plan = join(world.folder, 'plan.json');
    await expect(applySavedPlan(plan, settings)).rejects.toThrow(
      'there are no configuration files to plan it again',
    );
    const applied = await applySavedPlan(plan, { ...settings, trustPlan: true, noJournal: true });
    expect([applied.isComplete, applied.undoCommand]).toEqual([true, undefined]);
  });

  test('undoes the newest journal, and an undo that keeps a changed value is not complete', async () => {
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

  test('refuses a plan that exceeds its limits, and writes nothing', async () => {
    const world = await worldWith(files, { seed });
    const applied = applyFiles([], { ...settingsOf(world), maxUpdates: 0 });
    await expect(applied).rejects.toThrow(RefusedError);
    expect(world.writes()).toEqual([]);
  });
});
