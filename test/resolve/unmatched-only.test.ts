import { expect, test } from 'vitest';
import type { PlannedChange } from '../../src/model/plan.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { type PlannedRoot, refuseUnmatched, unmatchedOnly } from '../../src/resolve/plan-request.ts';
import { configured } from '../desired/load-files.ts';

async function declared(body: string, unmanaged: readonly string[] = []): Promise<PlannedRoot> {
  return { configuration: await configured(body), plan: { changes: [], unmanaged } };
}

const reported = async (...only: readonly string[]) =>
  renderDiagnostics(
    unmatchedOnly(only, [
      await declared('workspaces: {app: {}}\n', ['workspace.scratch']),
      await declared('workspaces: {network: {}}\nteam-access: {prj-1: {team-1: read}}\n'),
    ]),
  );

test('a pattern of --only that matches a declaration of any root file, or a live workspace in scope, has no error', async () => {
  expect(await reported()).toBe('');
  expect(await reported('workspace.app', 'workspace.net*', '*/team-1', 'workspace.scratch')).toBe('');
});

test('a pattern of --only that matches nothing is an error with the nearest address', async () => {
  expect(await reported('workspace.app', 'workspace.netwrok', 'app', 'app', 'n*', 'warehouse')).toBe(`\
error[nothing-matched]: --only workspace.netwrok matches nothing
  hint: did you mean --only workspace.network?
error[nothing-matched]: --only app matches nothing
  hint: did you mean --only workspace.app?
error[nothing-matched]: --only n* matches nothing
  hint: did you mean --only workspace.n*?
error[nothing-matched]: --only warehouse matches nothing
  hint: use workspace.<name>, project.<alias>, team-access.<project>/<team>, or a selector such as tag:prod; * matches any characters, ? one
`);
});

test('a pattern of --only that matches an undeclared address that the plan changes has no error', async () => {
  const root = await declared('workspaces: {app: {}}\n');
  const pruned = { address: 'workspace.old' } as PlannedChange;
  const planned = [{ ...root, plan: { changes: [pruned], unmanaged: [] } }];
  expect(unmatchedOnly(['workspace.old'], planned)).toEqual([]);
  expect(unmatchedOnly(['workspace.new'], planned)).toHaveLength(1);
  expect(() => refuseUnmatched(['workspace.old'], planned)).not.toThrow();
  expect(() => refuseUnmatched(['workspace.new'], planned)).toThrow('matches nothing');
});

test('a selector of --only is matched with all that the files declare', async () => {
  const all = await configured('workspaces: {app: {tags: [prod]}, web: {tags: [prod]}}\n');
  const part = await declared('workspaces: {app: {}}\n');
  const unmatched = (only: string, root: PlannedRoot) => unmatchedOnly([only], [root]).map((one) => one.code);
  expect(unmatched('tag:prod', { ...part, selectedFrom: [all] })).toEqual([]);
  expect(unmatched('tag:prod', part)).toEqual(['nothing-matched']);
});
