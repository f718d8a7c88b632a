import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { serviceWith } from '../../support/attune.ts';
import { serverWith } from '../../support/servers.ts';
import { ended, readPipeline, recipes, type Stage, stageWith, tokens } from './stage.ts';

const project = '/projects/1';
const own = { id: 2, body: '<!-- attune:plan:acme -->', author: { id: 50 } };
const foreign = { ...own, id: 1, author: { id: 60 } };

/** A stage, and an API of GitLab that gives fixed answers by path and keeps what is written. */
async function gitLabWith(answers: Readonly<Record<string, unknown>> = {}) {
  const stage = await stageWith();
  const writes: string[] = [];
  const address = await serverWith(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://gitlab');
    const path = url.pathname.replace('/api/v4', '');
    if (request.method !== 'GET') writes.push(`${request.method} ${path} ${await text(request)}`);
    const answer = { '/user': { id: 50 }, ...answers }[path + (url.searchParams.get('source') ?? '')];
    const found = request.method === 'GET' ? answer : {};
    response
      .writeHead(found === undefined ? 404 : 200)
      .end(typeof found === 'string' ? found : JSON.stringify(found));
  });
  await cp(join(recipes, 'gitlab', 'gitlab.mjs'), join(stage.folder, 'ci', 'gitlab.mjs'));
  const env = { CI: 'true', CI_API_V4_URL: `${address}/api/v4`, CI_PROJECT_ID: '1', CI_COMMIT_SHA: 'merged' };
  return { stage, writes, env };
}

async function runJob(stage: Stage, env: Readonly<Record<string, string>>, job: string) {
  const { code, stdout, stderr } = await stage.shell((await readPipeline()).lines(job), env);
  return { code, log: stdout + stderr };
}

const read = { ATTUNE_READ_TOKEN: tokens.read, GITLAB_TOKEN: 'project-access-secret' };

test('the GitLab job validate checks the files without a token, and fails with their errors', async () => {
  const { stage, env } = await gitLabWith();
  expect((await runJob(stage, env, 'validate')).code).toBe(0);
  await stage.commit('workspaces: {network: {auto-aply: true}}\n');
  const log = expect.stringContaining('error[unknown-key]');
  expect(await runJob(stage, env, 'validate')).toEqual({ code: 1, log });
  expect(stage.service.requests).toEqual([]);
});

test.each([
  ['writes a note beside those of others', [foreign], /^POST .*\/notes /],
  ['updates its note, past a hundred others', [...Array(99).fill(foreign), own], /^PUT .*\/notes\/2 /],
])('the GitLab job plan %s', async (_, notes, call) => {
  const { stage, env, writes } = await gitLabWith({ [`${project}/merge_requests/7/notes`]: notes });
  const { code, log } = await runJob(stage, { ...env, ...read, CI_MERGE_REQUEST_IID: '7' }, 'plan');
  expect([code, log]).toEqual([0, expect.stringContaining('Plan: 1 to create, 1 to update, 1 to delete')]);
  expect(writes).toEqual([expect.stringMatching(call)]);
  expect(writes[0]).toContain('workspace.new');
  expect(stage.writes()).toEqual([]);
});

test('the GitLab job plan reports a plan that exceeds its limits in the note, and fails', async () => {
  const { stage, env, writes } = await gitLabWith({ [`${project}/merge_requests/7/notes`]: [] });
  await stage.commit('workspaces: {old: {state: absent}}\nlimits: {deletes: 0}\n');
  const { code } = await runJob(stage, { ...env, ...read, CI_MERGE_REQUEST_IID: '7' }, 'plan');
  expect([code, writes]).toEqual([1, [expect.stringContaining('error[too-many-deletes]')]]);
});

test('the GitLab job plan-fork plans without a token from the last snapshot, and prints a hint if there is none', async () => {
  const live = {
    [`${project}/pipelinesschedule`]: [{ id: 11 }],
    [`${project}/pipelines/11/jobs`]: [{ id: 21, name: 'drift' }],
  };
  const made = await stageWith();
  const script = `${(await readPipeline()).lines('validate')}\nattune snapshot --out live.json`;
  await made.shell(script, { ATTUNE_TOKEN: tokens.read });
  const snapshot = await readFile(join(made.folder, 'live.json'), 'utf8');
  const request = { CI_MERGE_REQUEST_PROJECT_ID: '1', CI_MERGE_REQUEST_DIFF_BASE_SHA: 'HEAD^1' };
  const target = { CI_PROJECT_ID: '2', ...request };
  const { stage, env } = await gitLabWith({ ...live, [`${project}/jobs/21/artifacts/live.json`]: snapshot });
  const log = expect.stringContaining('+ workspace.new');
  expect(await runJob(stage, { ...env, ...target }, 'plan-fork')).toEqual({ code: 0, log });
  expect(stage.service.requests).toEqual([]);
  const none = await gitLabWith({ [`${project}/pipelinesschedule`]: [] });
  expect(await runJob(none.stage, { ...none.env, ...target }, 'plan-fork')).toEqual({
    code: 1,
    log: 'There is no snapshot: run the nightly schedule once.\n',
  });
  const other = { ...none.env, ...target, CI_MERGE_REQUEST_PROJECT_ID: '3' };
  expect((await runJob(none.stage, other, 'plan-fork')).log).toContain('without GITLAB_TOKEN answered 404');
});

const merged = { iid: 7, state: 'merged', sha: 'reviewed' };
const byMerge = { ...merged, merge_commit_sha: 'merged', squash_commit_sha: null };

/** Runs the job apply after a plan of the files that are checked out. */
async function applied(
  requests: readonly object[],
  pipeline = { id: 12, project_id: 1 },
  jobs = [{ id: 22, name: 'plan' }],
) {
  const opened = { ...byMerge, iid: 6, state: 'opened' };
  const planned: Record<string, unknown> = {
    [`${project}/pipelinesweb`]: [],
    [`${project}/repository/commits/merged/merge_requests`]: [opened, ...requests],
    [`${project}/merge_requests/7/pipelines`]: [pipeline],
    [`${project}/pipelines/12/jobs`]: jobs,
  };
  const { stage, env } = await gitLabWith(planned);
  expect((await runJob(stage, { ...env, ...read }, 'plan')).code).toBe(0);
  for (const file of ['plan.json', 'plan.tree'])
    planned[`${project}/jobs/22/artifacts/${file}`] = await readFile(join(stage.folder, file), 'utf8');
  stage.service.clearRequests();
  const apply = { ...env, ...read, ATTUNE_TOKEN: tokens.write };
  return { stage, apply: () => runJob(stage, apply, 'apply') };
}

test.each([
  ['merge commit', byMerge],
  ['squash', { ...byMerge, merge_commit_sha: null, squash_commit_sha: 'merged' }],
  ['fast-forward', { ...byMerge, merge_commit_sha: null, sha: 'merged' }],
])('the GitLab job apply finds the plan after a %s, and applies it', async (_, request) => {
  const { apply } = await applied([request]);
  const log = expect.stringContaining('Applied: 1 created, 1 updated, 1 deleted.');
  expect(await apply()).toEqual({ code: 0, log });
});

const again = 'Run a pipeline on the default branch, look at its plan, then run this job again.\n';
const otherFiles = expect.stringContaining(
  'The plan was made from other files than those merged; nothing was applied.',
);
async function mergedInBetween() {
  const made = await applied([byMerge]);
  await made.stage.commit('# merged in between\n');
  return made;
}
const unreviewed = `No plan was reviewed for this commit; nothing was applied. ${again}`;

test.each([
  ['a push without a merge request', () => applied([]), unreviewed],
  ['a plan that failed', () => applied([byMerge], undefined, []), unreviewed],
  ['a plan that a fork has made', () => applied([byMerge], { id: 12, project_id: 2 }), unreviewed],
  ['files that are not those that were planned, as after another merge', mergedInBetween, otherFiles],
])('the GitLab job apply applies nothing and prints a hint: %s', async (_, planned, log) => {
  const { stage, apply } = await planned();
  expect(await apply()).toEqual({ code: 1, log });
  expect(stage.service.requests).toEqual([]);
});

test.each([
  ['opens an issue for drift', [], 'new', /^POST \/projects\/1\/issues .*attune-drift/],
  ['updates the open issue', [{ iid: 3 }], 'new', /^PUT \/projects\/1\/issues\/3 .*workspace.new/],
  ['closes the issue without drift', [{ iid: 3 }], 'network', /^PUT \/projects\/1\/issues\/3 .*close/],
])('the GitLab job drift %s', async (_, issues, workspace, call) => {
  const { stage, env, writes } = await gitLabWith({ [`${project}/issues`]: issues });
  await stage.commit(`workspaces: {${workspace}: {}}\n`);
  expect((await runJob(stage, { ...env, ...read }, 'drift')).code).toBe(0);
  expect(writes).toEqual([expect.stringMatching(call)]);
  expect(stage.writes()).toEqual([]);
});

test('the GitLab job drift creates no issue for an error of the job', async () => {
  const { stage, env, writes } = await gitLabWith({ [`${project}/issues`]: [] });
  expect((await runJob(stage, { ...env, ...read, ATTUNE_READ_TOKEN: 'unknown' }, 'drift')).code).toBe(1);
  expect(writes).toEqual([]);
});

test('the GitLab job due revokes access that has ended, and writes nothing else', async () => {
  const { stage, env, writes } = await gitLabWith();
  await stage.commit(ended);
  const log = expect.stringContaining('Applied: 0 created, 0 updated, 1 deleted.');
  expect(await runJob(stage, { ...env, ATTUNE_TOKEN: tokens.write }, 'due')).toEqual({ code: 0, log });
  expect([stage.writes(), writes]).toEqual([[expect.stringMatching(/^DELETE \/team-projects\//)], []]);
  expect(await readFile(join(stage.folder, 'due.xml'), 'utf8')).toContain('team-access.main/contractors');
});

/** A root file for each of two organizations, of which one has drift. Each token sees one of them. */
async function twoOrganizations() {
  const stage = await stageWith();
  const organizations = {
    'acme-apac': { workspaces: { network: { 'auto-apply': true } } },
    'acme-emea': { workspaces: { network: {} } },
  };
  const owner = (organization: string) => ({ role: 'owner', organization }) as const;
  const known = { 'apac-secret': owner('acme-apac'), 'emea-secret': owner('acme-emea') };
  const { url } = await serviceWith({ seed: { organizations, tokens: known } });
  for (const name of ['apac', 'emea']) {
    await mkdir(join(stage.folder, 'organizations', name), { recursive: true });
    const text = `attune: 1\norganization: acme-${name}\nservice: {address: "${url}"}\nworkspaces: {network: {auto-apply: true}}\n`;
    await writeFile(join(stage.folder, 'organizations', name, 'attune.yaml'), text);
  }
  await stage.shell('git add organizations');
  const own = { ATTUNE_TOKEN_ACME_APAC: 'apac-secret', ATTUNE_TOKEN_ACME_EMEA: 'emea-secret' };
  return { stage, env: { ATTUNE_READ_TOKEN: 'unknown', ...own } };
}

test('drift-shards.gitlab-ci.yml checks each root file in one parallel job, fails for drift, and writes one report of all', async () => {
  const { stage, env } = await twoOrganizations();
  const { jobs, lines } = await readPipeline('drift-shards.gitlab-ci.yml');
  const total = jobs['drift-shards']?.parallel ?? 0;
  const codes: number[] = [];
  for (let index = 1; index <= total; index++) {
    const part = { ...env, CI_NODE_TOTAL: String(total), CI_NODE_INDEX: String(index) };
    codes.push((await stage.shell(lines('drift-shards'), part)).code);
  }
  expect(codes.sort()).toEqual([0, 0, 0, 2]);
  const { code, stdout } = await stage.shell(lines('drift-report'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('All 2 organizations: 0 missing, 1 changed')]);
});

test('drift-matrix.gitlab-ci.yml makes a child pipeline with one job for each organization, and one report of all', async () => {
  const { stage, env } = await twoOrganizations();
  const child = 'drift-matrix-child.gitlab-ci.yml';
  await cp(join(recipes, 'gitlab', child), join(stage.folder, 'ci', child));
  await stage.shell('git add ci');
  const { lines } = await readPipeline('drift-matrix.gitlab-ci.yml');
  expect((await stage.shell(lines('drift-roots'))).code).toBe(0);
  const pipeline = parse(await readFile(join(stage.folder, 'drift-matrix.yml'), 'utf8'));
  const { matrix } = pipeline['.organizations'].parallel;
  expect(matrix).toEqual([
    { NAME: 'organizations-apac', ROOT: 'organizations/apac/attune.yaml' },
    { NAME: 'organizations-emea', ROOT: 'organizations/emea/attune.yaml' },
  ]);
  const steps = await readPipeline(child);
  const codes: number[] = [];
  for (const one of matrix) codes.push((await stage.shell(steps.lines('drift'), { ...env, ...one })).code);
  expect(codes).toEqual([0, 2]);
  const { code, stdout } = await stage.shell(steps.lines('drift-report'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('All 2 organizations: 0 missing, 1 changed')]);
});
