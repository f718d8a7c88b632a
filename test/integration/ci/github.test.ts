import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as anyTest, expect } from 'vitest';
import { ghWith, hasJq, readWorkflow, type Stage, stageWith, tokens } from './stage.ts';

const test = anyTest.skipIf(!hasJq);

const token = { 'github.token': 'github-token' };
const base = { ref: 'main' };
const merged = { merged_at: '2026-01-31', merge_commit_sha: 'merged', head: { sha: 'reviewed' }, base };
// Others have the commit too; only one was merged as it.
const pulls = [{ ...merged, merged_at: null, head: { sha: 'open' } }, merged];
const run = {
  id: 5,
  event: 'pull_request',
  head_branch: 'change',
  head_repository: { full_name: 'acme/infrastructure' },
};
const foreign = { ...run, head_repository: { full_name: 'mallory/infrastructure' } };

async function stepOf(workflow: string, job: string, name: string) {
  const { jobs } = await readWorkflow(workflow);
  return jobs[job]?.steps.find((step) => step.name === name);
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
  const step = await stepOf(
    'attune-apply.yml',
    'apply',
    'Fetch the plan of the pull request that this commit merged',
  );
  const { code, log } = await stage.step(step, token);
  expect(await stage.commands()).toEqual([]);
  return [code, log];
}

const again = 'Start the workflow "Attune plan" on main, look at its plan, then run this job again.\n';

test.each([
  ['of the pull request that was merged', run],
  ['that was started manually on the branch', { ...run, event: 'workflow_dispatch', head_branch: 'main' }],
])('attune-apply.yml fetches the plan %s', async (_, made) => {
  expect(await fetchPlan({ pulls, runs: { workflow_runs: [foreign, made] } })).toEqual([0, '']);
});

test.each([
  ['a push without a pull request', [], [{ ...run, head_branch: 'other', event: 'workflow_dispatch' }]],
  ['a plan that failed', pulls, []],
  ['a plan of a pull request against another branch', [{ ...merged, base: { ref: 'other' } }], [run]],
  ['a plan that another event has made', pulls, [{ ...run, event: 'workflow_dispatch' }]],
  ['a plan that a fork has made', pulls, [foreign]],
])('attune-apply.yml applies nothing and prints a hint: %s', async (_, listed, made) => {
  expect(await fetchPlan({ pulls: listed, runs: { workflow_runs: made } })).toEqual([
    1,
    `::error::No plan was reviewed for this commit; nothing was applied. ${again}`,
  ]);
});

test('attune-apply.yml applies nothing if the files are not those that were planned, as after another merge', async () => {
  const end = await fetchPlan({ pulls, runs: { workflow_runs: [run] } }, (stage) =>
    stage.commit('# merged in between\n'),
  );
  expect(end).toEqual([
    1,
    `::error::The plan was made from other files than those merged; nothing was applied. ${again}`,
  ]);
});

test.each([
  ['fetches the snapshot of the nightly job', [foreign, run], [0, '']],
  [
    'prints a hint if there is no snapshot',
    [foreign],
    [1, '::error::There is no snapshot: start the workflow "Attune drift" on main.\n'],
  ],
])('attune-plan.yml %s for a pull request from a fork', async (_, runs, expected) => {
  const stage = await stageWith({ gh: ghWith({ runs: { workflow_runs: runs } }) });
  await mkdir(join(stage.folder, 'artifacts'));
  const { code, log } = await stage.step(
    await stepOf('attune-plan.yml', 'plan', 'Fetch what attune-drift.yml recorded last'),
    token,
  );
  expect([code, log]).toEqual(expected);
});

test.each([
  [
    'opens an issue for drift',
    '2',
    [],
    /^gh label create .* --force\ngh issue create .* --body-file drift.md\n$/,
  ],
  [
    'updates the open issue',
    '2',
    [{ number: 3 }],
    /^gh api .* PATCH .*\/issues\/3 --field body=@drift.md\n$/,
  ],
  ['closes the issue without drift', '0', [{ number: 3 }], /^gh issue close 3 /],
  ['opens no issue without drift', '0', [{ number: 4, pull_request: {} }], /^$/],
])('attune-drift.yml %s', async (_, code, issues, calls) => {
  const stage = await stageWith({ gh: ghWith({ issues }) });
  const values = {
    ...token,
    'github.repository': 'acme/infrastructure',
    'steps.drift.outputs.exit-code': code,
  };
  const end = await stage.step(await stepOf('attune-drift.yml', 'drift', 'Report'), values);
  expect([end.code, end.log]).toEqual([0, expect.stringMatching(calls)]);
});

test('attune-drift-matrix.yml lists each organization, and fails with one report over all', async () => {
  const stage = await stageWith();
  await mkdir(join(stage.folder, 'organizations', 'apac'), { recursive: true });
  await writeFile(
    join(stage.folder, 'organizations', 'apac', 'attune.yaml'),
    `attune: 1\norganization: acme\nservice: {address: "${stage.service.url}"}\nworkspaces: {network: {auto-apply: true}}\n`,
  );
  await stage.shell('git add organizations');
  const step = (job: string, name: string) => stepOf('attune-drift-matrix.yml', job, name);
  expect((await stage.step(await step('roots', 'Install Attune'))).code).toBe(0);
  const { outputs } = await stage.step(await step('roots', 'List the organizations'));
  expect(JSON.parse(outputs.matrix ?? '').include).toEqual([
    { organization: 'acme', name: 'organizations-apac', root: 'organizations/apac/attune.yaml' },
  ]);
  const drift = await stage.shell(
    'mkdir results && "$RUNNER_TEMP/attune/node_modules/.bin/attune" drift organizations/apac/attune.yaml --report results/drift-organizations-apac.json',
    { ATTUNE_TOKEN: tokens.read },
  );
  expect(drift.code).toBe(2);
  const { code, summary } = await stage.step(await step('report', 'Render one report'));
  expect([code, summary]).toEqual([0, expect.stringContaining('acme')]);
  expect(await readFile(join(stage.folder, 'all.html'), 'utf8')).toContain('acme');
  const end = await stage.step(await step('report', 'Result'), { 'needs.drift.result': 'failure' });
  expect([end.code, end.log]).toEqual([
    1,
    '::error::at least one organization has drift or could not be read\n',
  ]);
});
