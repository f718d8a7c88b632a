import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as anyTest, expect } from 'vitest';
import { rowsIn } from '../../support/rows.ts';
import { ended, ghWith, hasJq, readWorkflow, type Stage, stageWith, tokens } from './stage.ts';

const test = anyTest.skipIf(!hasJq);

const token = { 'github.token': 'github-token' };
const base = { ref: 'main' };
const merged = { merged_at: '2026-01-31', merge_commit_sha: 'merged', head: { sha: 'reviewed' }, base };
// Others have the commit too; only one was merged as it.
const pulls = [{ ...merged, merged_at: null, head: { sha: 'open' } }, merged];
const made = {
  id: 5,
  event: 'pull_request',
  head_branch: 'change',
  head_repository: { full_name: 'acme/infrastructure' },
};
const foreign = { ...made, head_repository: { full_name: 'mallory/infrastructure' } };

/** Runs a step, such as `plan/plan/Comment` of the workflow attune-plan.yml. */
async function run(stage: Stage, step: string, values?: Readonly<Record<string, string>>) {
  const [workflow, job = '', name] = step.split('/');
  const { jobs } = await readWorkflow(`attune-${workflow}.yml`);
  return stage.step(
    jobs[job]?.steps.find((one) => one.name === name),
    values,
  );
}

/** The step of attune-apply.yml that fetches the plan, with a plan of the files that are checked out. */
async function fetchPlan(
  answers: { readonly pulls: object; readonly runs: object },
  change?: (stage: Stage) => Promise<void>,
) {
  const stage = await stageWith({ gh: ghWith(answers) });
  await mkdir(join(stage.folder, 'artifacts'));
  await stage.shell("git rev-parse 'HEAD^{tree}' > artifacts/plan.tree");
  await change?.(stage);
  const { code, log } = await run(
    stage,
    'apply/apply/Fetch the plan of the pull request that this commit merged',
    token,
  );
  expect(await stage.commands()).toEqual([]);
  return [code, log];
}

const again = 'Start the workflow "Attune plan" on main, look at its plan, then run this job again.\n';

test.each([
  ['of the pull request that was merged', made],
  ['that was started manually on the branch', { ...made, event: 'workflow_dispatch', head_branch: 'main' }],
])('attune-apply.yml fetches the plan %s', async (_, one) => {
  expect(await fetchPlan({ pulls, runs: { workflow_runs: [foreign, one] } })).toEqual([0, '']);
});

test.each([
  ['a push without a pull request', [], [{ ...made, head_branch: 'other', event: 'workflow_dispatch' }]],
  ['a plan that failed', pulls, []],
  ['a plan of a pull request against another branch', [{ ...merged, base: { ref: 'other' } }], [made]],
  ['a plan that another event has made', pulls, [{ ...made, event: 'workflow_dispatch' }]],
  ['a plan that a fork has made', pulls, [foreign]],
])('attune-apply.yml applies nothing and prints a hint: %s', async (_, listed, runs) => {
  expect(await fetchPlan({ pulls: listed, runs: { workflow_runs: runs } })).toEqual([
    1,
    `::error::No plan was reviewed for this commit; nothing was applied. ${again}`,
  ]);
});

test('attune-apply.yml applies nothing if the files are not those that were planned, as after another merge', async () => {
  const end = await fetchPlan({ pulls, runs: { workflow_runs: [made] } }, (stage) =>
    stage.commit('# merged in between\n'),
  );
  expect(end).toEqual([
    1,
    `::error::The plan was made from other files than those merged; nothing was applied. ${again}`,
  ]);
});

const noSnapshot = '::error::There is no snapshot: start the workflow "Attune drift" on main.\n';

test.each([
  ['fetches the snapshot of the nightly job', [foreign, made], [0, '']],
  ['prints a hint if there is no snapshot', [foreign], [1, noSnapshot]],
])('attune-plan.yml %s for a pull request from a fork', async (_, runs, expected) => {
  const stage = await stageWith({ gh: ghWith({ runs: { workflow_runs: runs } }) });
  await mkdir(join(stage.folder, 'artifacts'));
  const { code, log } = await run(stage, 'plan/plan/Fetch what attune-drift.yml recorded last', token);
  expect([code, log]).toEqual(expected);
});

test.each(rowsIn<[string, string, object[], string]>`
- [opens an issue for drift, '2', [], '^gh label create .* --force\ngh issue create .* --body-file drift.md\n$']
- [updates the open issue, '2', [{number: 3}], '^gh api .* PATCH .*/issues/3 --field body=@drift.md\n$']
- [closes the issue without drift, '0', [{number: 3}], '^gh issue close 3 ']
- [opens no issue without drift, '0', [{number: 4, pull_request: {}}], ^$]
`)('attune-drift.yml %s', async (_, code, issues, calls) => {
  const stage = await stageWith({ gh: ghWith({ issues }) });
  const values = { 'github.repository': 'acme/infrastructure', 'steps.drift.outputs.exit-code': code };
  const end = await run(stage, 'drift/drift/Report', { ...token, ...values });
  expect([end.code, end.log]).toEqual([0, expect.stringMatching(new RegExp(calls))]);
});

const reads = { 'secrets.ATTUNE_READ_TOKEN': tokens.read };
const mayWrite = { 'secrets.ATTUNE_TOKEN': tokens.write };

test('the recipes plan a pull request, apply exactly that plan, and find no drift after it', async () => {
  const stage = await stageWith();
  const plan = await run(stage, 'plan/plan/Plan', reads);
  expect([plan.code, plan.log]).toEqual([
    0,
    expect.stringContaining('Plan: 1 to create, 1 to update, 1 to delete'),
  ]);
  await stage.shell('mkdir reviewed && mv plan.json reviewed');
  const apply = await run(stage, 'apply/apply/Apply', mayWrite);
  expect([apply.code, apply.summary]).toEqual([
    0,
    expect.stringContaining('1 created, 1 updated, 1 deleted'),
  ]);
  expect(existsSync(join(stage.folder, 'attune-journal.jsonl'))).toBe(true);
  const drift = await run(stage, 'drift/drift/Compare', reads);
  expect([drift.code, drift.outputs]).toEqual([0, { 'exit-code': '0' }]);
});

test('attune-plan.yml comments a plan that exceeds its limits, and fails', async () => {
  const stage = await stageWith({ gh: ghWith({ comments: [] }) });
  await stage.commit('workspaces: {old: {state: absent}}\nlimits: {deletes: 0}\n');
  await stage.shell('echo forged > plan.md');
  const { code } = await run(stage, 'plan/plan/Plan', reads);
  expect([code, await readFile(join(stage.folder, 'plan.md'), 'utf8')]).toEqual([
    1,
    expect.stringContaining('too-many-deletes'),
  ]);
});

test.each(rowsIn<[string, string[], string]>`
- [updates its comment, [somebody, 'github-actions[bot]'], PATCH .*/comments/2]
- [writes a comment beside those of others, [somebody], POST .*/issues/7/comments]
`)('attune-plan.yml %s on the pull request', async (_, authors, call) => {
  const comments = authors.map((login, index) => ({
    id: index + 1,
    user: { login },
    body: '<!-- attune:plan:acme -->',
  }));
  const stage = await stageWith({ gh: ghWith({ comments }) });
  await stage.shell('echo a plan > plan.md');
  const values = { ...token, 'github.event.pull_request.number': '7' };
  const end = await run(stage, 'plan/plan/Comment', values);
  expect([end.code, end.log, end.summary]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^gh api --silent --method ${call}.* body=@plan.md\n$`)),
    'a plan\n',
  ]);
});

test('attune-drift.yml reports drift without failing its step, and fails for an error', async () => {
  const stage = await stageWith();
  const drift = await run(stage, 'drift/drift/Compare', reads);
  expect([drift.code, drift.outputs, drift.summary]).toEqual([
    0,
    { 'exit-code': '2' },
    expect.stringContaining('workspace.new'),
  ]);
  const failed = await run(stage, 'drift/drift/Compare', { 'secrets.ATTUNE_READ_TOKEN': 'unknown' });
  expect([failed.code, failed.outputs]).toEqual([1, { 'exit-code': '1' }]);
});

test('attune-due.yml revokes access that has ended, and writes nothing else', async () => {
  const stage = await stageWith();
  await stage.commit(ended);
  const { code, log, summary } = await run(stage, 'due/due/Apply what is due', mayWrite);
  expect([code, log, summary]).toEqual([
    0,
    expect.stringContaining('Applied: 0 created, 0 updated, 1 deleted.'),
    expect.stringContaining('team-access.main/contractors'),
  ]);
  expect(stage.writes()).toEqual([expect.stringMatching(/^DELETE \/team-projects\//)]);
});

test('attune-drift-matrix.yml lists each organization, and fails with one report over all', async () => {
  const stage = await stageWith();
  const folder = join(stage.folder, 'organizations', 'apac');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'attune.yaml'),
    `attune: 1\norganization: acme\nservice: {address: "${stage.service.url}"}\nworkspaces: {network: {auto-apply: true}}\n`,
  );
  await stage.shell('git add organizations');
  const { outputs } = await run(stage, 'drift-matrix/roots/List the organizations');
  expect(JSON.parse(outputs.matrix ?? '').include).toEqual([
    { organization: 'acme', name: 'organizations-apac', root: 'organizations/apac/attune.yaml' },
  ]);
  const drift = await run(stage, 'drift-matrix/drift/Compare', {
    'secrets.ATTUNE_READ_TOKEN': tokens.read,
    'matrix.name': 'apac',
    'matrix.root': 'organizations/apac/attune.yaml',
  });
  expect(drift.code).toBe(2);
  await stage.shell('mkdir results && mv drift-apac.json results');
  const { code, summary } = await run(stage, 'drift-matrix/report/Render one report');
  expect([code, summary]).toEqual([0, expect.stringContaining('acme')]);
  expect(await readFile(join(stage.folder, 'all.html'), 'utf8')).toContain('acme');
  const end = await run(stage, 'drift-matrix/report/Result', { 'needs.drift.result': 'failure' });
  expect([end.code, end.log]).toEqual([
    1,
    '::error::at least one organization has drift or could not be read\n',
  ]);
});
