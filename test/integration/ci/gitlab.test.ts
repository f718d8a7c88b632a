import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { edit, type GitLabEnd, type GitLabStage, gitLabStage, gitlabToken, variables } from './gitlab.ts';
import { declared, tokens } from './stage.ts';

const mergeRequest = {
  ...variables.every,
  CI_PIPELINE_SOURCE: 'merge_request_event',
  CI_MERGE_REQUEST_IID: '7',
  CI_MERGE_REQUEST_PROJECT_ID: '1',
  CI_COMMIT_SHA: 'reviewed',
};
const fork = {
  CI_PIPELINE_SOURCE: 'merge_request_event',
  CI_MERGE_REQUEST_IID: '7',
  CI_MERGE_REQUEST_PROJECT_ID: '1',
  CI_PROJECT_ID: '2',
  CI_COMMIT_SHA: 'reviewed',
};
const push = { ...variables.production, CI_PIPELINE_SOURCE: 'push', CI_COMMIT_SHA: 'merged' };
const changeManually = { ...variables.every, CI_PIPELINE_SOURCE: 'web', CI_COMMIT_SHA: 'merged' };
const nightly = { ...variables.every, CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_SHA: 'main' };

const byMerge = { merge_commit_sha: 'merged', squash_commit_sha: null };

function expectOk({ code, log }: GitLabEnd): void {
  if (code !== 0) throw new Error(log);
}

/** A merge request is planned, and merged. */
async function planned(
  how: Partial<GitLabStage['gitlab']['merged'][number]> = byMerge,
): Promise<GitLabStage> {
  const stage = await gitLabStage();
  expectOk(await stage.start('plan', mergeRequest));
  const merged = { iid: 7, state: 'merged', sha: 'reviewed', ...byMerge, ...how };
  stage.gitlab.merged.push(
    { ...merged, iid: 6, state: 'opened' },
    { ...merged, iid: 5, sha: 'x', merge_commit_sha: 'x', squash_commit_sha: null },
    merged,
  );
  stage.writes();
  return stage;
}

const autoApply = (value: boolean) =>
  [
    'PATCH',
    '/organizations/acme/workspaces/network',
    { data: { type: 'workspaces', attributes: { 'auto-apply': value } } },
  ] as const;

describe('validate', () => {
  test('the GitLab job validate checks the files without a token, and fails with their errors', async () => {
    const stage = await gitLabStage();
    expectOk(await stage.start('validate', fork));
    await stage.commit('workspaces: {network: {auto-aply: true}}\n');
    const { code, log } = await stage.start('validate', fork);
    expect(code).toBe(1);
    expect(log).toContain('error[unknown-key]');
    expect(stage.service.requests).toEqual([]);
  });
});

describe('plan', () => {
  test('the GitLab job plan plans with the token that reads, and passes the plan on', async () => {
    const stage = await gitLabStage();
    const end = await stage.start('plan', mergeRequest);
    expectOk(end);
    expect(stage.writes()).toEqual([]);
    expect(JSON.parse(await readFile(stage.artifact(end.pipeline, 'plan.json'), 'utf8'))).toMatchObject({
      format: 'attune.plan/1',
      base: { ref: 'HEAD^1', commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
      noLongerDeclared: [],
    });
  });

  test('the GitLab job plan keeps one note up to date, past a hundred others, and leaves those of others alone', async () => {
    const stage = await gitLabStage();
    const others = Array.from({ length: 105 }, (_, id) => ({
      id,
      body: '<!-- attune:plan:acme --> by hand',
      author: { id: 60 },
    }));
    stage.gitlab.notes.push(...others, { id: 200, body: 'of another job', author: { id: 50 } });
    expectOk(await stage.start('plan', mergeRequest));
    expect(stage.gitlab.notes).toHaveLength(107);
    expect(stage.gitlab.notes[106]?.body).toContain('workspace.new');

    await stage.commit(declared.replace('  new: {}\n', '  newer: {}\n').replace('app, new', 'app'));
    expectOk(await stage.start('plan', mergeRequest));
    expect(stage.gitlab.notes).toHaveLength(107);
    expect(stage.gitlab.notes[106]?.body).toContain('workspace.newer');
    expect(stage.gitlab.notes.slice(0, 105)).toEqual(others);
  });

  test('the GitLab job plan reports a plan that exceeds its limits in the note, and fails', async () => {
    const stage = await gitLabStage();
    await stage.commit(declared.replace('delete-percent: 100', 'deletes: 0'));
    const { code } = await stage.start('plan', mergeRequest);
    expect(code).toBe(1);
    expect(stage.gitlab.notes[0]?.body).toContain('error[too-many-deletes]');
  });
});

describe('plan-fork', () => {
  test('the GitLab job plan-fork plans without any token from the last snapshot of the nightly job', async () => {
    const stage = await gitLabStage();
    expectOk(await stage.start('drift', nightly));
    expect((await stage.start('drift', { ...nightly, ATTUNE_READ_TOKEN: 'unknown' })).code).toBe(1);
    stage.service.clearRequests();
    const end = await stage.start('plan-fork', fork);
    expectOk(end);
    expect(end.log).toContain('+ workspace.new');
    expect(stage.service.requests).toEqual([]);
    expect(stage.gitlab.notes).toEqual([]);
    expect(stage.anonymous).not.toEqual([]);
  });

  test('the GitLab job plan-fork prints a hint if there is no snapshot', async () => {
    const stage = await gitLabStage();
    const { code, log } = await stage.start('plan-fork', fork);
    expect([code, log]).toEqual([1, 'There is no snapshot: run the nightly schedule once.\n']);
  });
});

describe('apply', () => {
  test.each([
    ['merge commit', byMerge],
    ['squash with a merge commit', { merge_commit_sha: 'merged', squash_commit_sha: 'squashed' }],
    ['squash', { merge_commit_sha: null, squash_commit_sha: 'merged' }],
    ['fast-forward', { merge_commit_sha: null, squash_commit_sha: null, sha: 'merged' }],
  ])(
    'the GitLab job apply finds the plan after a %s, applies it, and the next plan is empty',
    async (_, how) => {
      const stage = await planned(how);
      await stage.changeManually('POST', '/organizations/acme/workspaces', {
        data: { type: 'workspaces', attributes: { name: 'later' } },
      });
      const end = await stage.start('apply', push);
      expectOk(end);
      expect(end.log).toContain('Applied: 1 created, 2 updated, 1 deleted. 7 calls.');
      expect(stage.writes()).toHaveLength(7);
      const again = await stage.start('plan', changeManually);
      expect(again.log).toContain('Plan: 0 to create, 0 to update, 0 to delete, 4 unchanged. 0 calls.');
      expect(stage.gitlab.notes).toHaveLength(1);
    },
  );

  test('the GitLab job apply refuses a stale plan before the first write, until the plan is started again manually', async () => {
    const stage = await planned();
    await stage.changeManually(...autoApply(true));
    const { code, log } = await stage.start('apply', push);
    expect(code).toBe(1);
    expect(log).toContain(
      'the plan is stale: workspace.network changed after the plan was saved (auto-apply was false and is true)',
    );
    expect(stage.writes()).toEqual([]);

    expectOk(await stage.start('plan', changeManually));
    expectOk(await stage.start('apply', push));
    expect(stage.writes()).toHaveLength(6);
  });

  test.each([
    ['a push without a merge request', ({ gitlab }: GitLabStage) => gitlab.merged.splice(0)],
    [
      'a plan that failed',
      ({ gitlab }: GitLabStage) => {
        gitlab.pipelines = gitlab.pipelines.map((pipeline) => ({
          ...pipeline,
          jobs: pipeline.jobs.map((job) => ({ ...job, status: 'failed' })),
        }));
      },
    ],
    [
      'a plan that a fork has made',
      ({ gitlab }: GitLabStage) => {
        gitlab.pipelines = gitlab.pipelines.map((pipeline) => ({ ...pipeline, project_id: 2 }));
      },
    ],
  ])('the GitLab job apply applies nothing and prints a hint: %s', async (_, change) => {
    const stage = await planned();
    change(stage);
    const { code, log } = await stage.start('apply', push);
    expect([code, log]).toEqual([
      1,
      'No plan was reviewed for this commit; nothing was applied. Run a pipeline on the default branch, look at its plan, then run this job again.\n',
    ]);
    expect(stage.service.requests).toEqual([]);
  });

  test('the GitLab job apply applies nothing if the files are not those that were planned, as after another merge', async () => {
    const stage = await planned();
    await stage.commit(`${declared}# merged in between\n`);
    const { code, log } = await stage.start('apply', push);
    expect(code).toBe(1);
    expect(log).toContain('The plan was made from other files than those merged; nothing was applied.');
    expect(stage.service.requests).toEqual([]);
  });

  test('the GitLab job apply refuses a plan that was edited between the jobs', async () => {
    const stage = await planned();
    const [pipeline] = stage.gitlab.pipelines;
    if (pipeline === undefined) throw new Error('no pipeline');
    await edit(stage.artifact(pipeline, 'plan.json'), '"auto-apply": true', '"auto-apply": false');
    const { code, log } = await stage.start('apply', push);
    expect(code).toBe(1);
    expect(log).toContain('reviewed/plan.json was modified after it was saved: its digest does not match');
    expect(stage.writes()).toEqual([]);
  });
});

describe('drift', () => {
  test('the GitLab job drift opens one issue, keeps it up to date, closes it, and opens another the next time', async () => {
    const stage = await planned();
    expectOk(await stage.start('drift', nightly));
    expect(stage.gitlab.issues).toMatchObject([
      { state: 'opened', labels: 'attune-drift', description: expect.stringContaining('workspace.new') },
    ]);
    const first = stage.gitlab.issues[0]?.description;

    await stage.changeManually(...autoApply(true));
    expectOk(await stage.start('drift', nightly));
    expect(stage.gitlab.issues).toHaveLength(1);
    expect(stage.gitlab.issues[0]?.description).not.toBe(first);

    expectOk(await stage.start('plan', changeManually));
    expectOk(await stage.start('apply', push));
    stage.writes();
    expectOk(await stage.start('drift', nightly));
    expectOk(await stage.start('drift', nightly));
    expect(stage.gitlab.issues.map(({ state }) => state)).toEqual(['closed']);

    await stage.changeManually(...autoApply(false));
    expectOk(await stage.start('drift', nightly));
    expect(stage.gitlab.issues.map(({ state }) => state)).toEqual(['closed', 'opened']);
    expect(stage.writes()).toEqual([]);
  });

  test('the GitLab job drift creates no issue for an error of the job', async () => {
    const stage = await gitLabStage();
    stage.service.setFaults([{ kind: 'status', status: 403 }]);
    expect((await stage.start('drift', nightly)).code).toBe(1);
    expect(stage.gitlab.issues).toEqual([]);
  });
});

test('the GitLab jobs have no token in an argument, an output or an artifact', async () => {
  const stage = await planned();
  const plan = await stage.start('plan', mergeRequest);
  const drift = await stage.start('drift', nightly);
  const apply = await stage.start('apply', push);
  const handed = await Promise.all([
    readFile(stage.artifact(plan.pipeline, 'plan.json'), 'utf8'),
    readFile(stage.artifact(plan.pipeline, 'plan.html'), 'utf8'),
    readFile(stage.artifact(drift.pipeline, 'live.json'), 'utf8'),
    readFile(stage.artifact(drift.pipeline, 'drift.html'), 'utf8'),
  ]);
  const kept = JSON.stringify([stage.gitlab.notes, stage.gitlab.issues]);
  const everything = [plan.log, drift.log, apply.log, ...handed, ...(await stage.commands()), kept].join(
    '\n',
  );
  for (const token of [...Object.values(tokens), gitlabToken]) expect(everything).not.toContain(token);
});
