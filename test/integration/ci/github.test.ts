import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type GitHubStage, gitHubStage, type JobEnd } from './github.ts';
import { hasJq } from './jq.ts';
import { declared, tokens } from './stage.ts';

const pull = { event: 'pull_request', sha: 'reviewed', branch: 'change', pull: 7 } as const;
const push = { event: 'push', sha: 'merged' } as const;

/** A pull request is planned, and merged by whatever kind of merge. */
async function planned(): Promise<GitHubStage> {
  const stage = await gitHubStage();
  expectOk(await stage.start('attune-plan.yml', pull));
  const base = { ref: 'main' };
  await stage.update(({ pulls }) => {
    // Others have the commit too; only one was merged as it.
    pulls.push({ merged_at: null, merge_commit_sha: 'merged', head: { sha: 'open' }, base });
    pulls.push({ merged_at: '2026-01-31', merge_commit_sha: 'earlier', head: { sha: 'earlier-head' }, base });
    pulls.push({ merged_at: '2026-01-31', merge_commit_sha: 'merged', head: { sha: 'reviewed' }, base });
  });
  stage.writes();
  return stage;
}

function expectOk({ ok, log }: JobEnd): void {
  if (!ok) throw new Error(log);
}

// The stub of gh needs jq for what gh brings along.
describe.skipIf(!hasJq)('attune-plan.yml', () => {
  test('attune-plan.yml plans with the token that reads, shows the plan and passes it to attune-apply.yml', async () => {
    const stage = await gitHubStage();
    const end = await stage.start('attune-plan.yml', pull);
    expectOk(end);
    expect(stage.writes()).toEqual([]);
    expect(end.log).toContain('::notice title=attune plan%3A acme::');
    expect(end.summary).toContain('## Attune: plan');
    const folder = stage.artifact(end.run, 'attune-plan');
    expect(JSON.parse(await readFile(join(folder, 'plan.json'), 'utf8'))).toMatchObject({
      format: 'attune.plan/1',
      base: { ref: 'HEAD^1', commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
      noLongerDeclared: [],
    });
    expect(end.summary).toContain('### This change (');
    expect(await readFile(join(folder, 'plan.html'), 'utf8')).toContain('<!doctype html>');
  });

  test('attune-plan.yml keeps one comment up to date, and leaves those of others alone', async () => {
    const stage = await gitHubStage();
    const marked = '<!-- attune:plan:acme -->';
    await stage.update(({ comments }) => {
      comments.push({ id: 1, on: 7, user: { login: 'somebody' }, body: `${marked} not by the job` });
      comments.push({ id: 2, on: 7, user: { login: 'github-actions[bot]' }, body: 'of another job' });
      comments.push({
        id: 3,
        on: 8,
        user: { login: 'github-actions[bot]' },
        body: `${marked} of another pull request`,
      });
    });
    expectOk(await stage.start('attune-plan.yml', pull));
    const first = (await stage.github()).comments;
    expect(first).toHaveLength(4);
    expect(first[3]).toMatchObject({ on: 7, body: expect.stringContaining('workspace.new') });

    await stage.commit(declared.replace('  new: {}\n', '  newer: {}\n').replace('app, new', 'app'));
    expectOk(await stage.start('attune-plan.yml', { ...pull, sha: 'second' }));
    const second = (await stage.github()).comments;
    expect(second).toHaveLength(4);
    expect(second.slice(0, 3)).toEqual(first.slice(0, 3));
    expect(second[3]?.body).toContain('workspace.newer');
  });

  test('attune-plan.yml reports a plan that exceeds its limits in the same comment, fails, and saves nothing', async () => {
    const stage = await gitHubStage();
    expectOk(await stage.start('attune-plan.yml', pull));
    await stage.commit(declared.replace('delete-percent: 100', 'deletes: 0'));
    const end = await stage.start('attune-plan.yml', { ...pull, sha: 'second' });
    expect(end.ok).toBe(false);
    const { comments } = await stage.github();
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body).toContain('error[too-many-deletes]');
    await expect(readFile(join(stage.artifact(end.run, 'attune-plan'), 'plan.json'))).rejects.toThrow(
      'ENOENT',
    );
  });

  test('attune-plan.yml fails for errors in the files before any request to the service', async () => {
    const stage = await gitHubStage();
    await stage.commit('workspaces: {network: {auto-aply: true}}\n');
    const end = await stage.start('attune-plan.yml', pull);
    expect(end.ok).toBe(false);
    expect(end.log).toContain('::error file=attune.yaml,line=4,col=24,title=unknown-key::');
    expect(stage.service.requests).toEqual([]);
  });

  test('attune-plan.yml plans pull requests from forks without a token, from the snapshot of the nightly job', async () => {
    const stage = await gitHubStage();
    // A fork may name its branch main, and its workflow as it likes.
    expectOk(await stage.start('attune-drift.yml', { event: 'schedule', sha: 'nightly' }));
    await stage.update(({ runs }) => {
      runs.unshift({
        id: 99,
        workflow: 'attune-drift.yml',
        head_sha: 'x',
        head_branch: 'main',
        event: 'schedule',
        status: 'success',
        head_repository: { full_name: 'mallory/infrastructure' },
      });
    });
    stage.service.clearRequests();
    const end = await stage.start('attune-plan.yml', { ...pull, from: 'mallory/infrastructure' });
    expectOk(end);
    expect(stage.service.requests).toEqual([]);
    expect(end.summary).toContain('workspace.new');
    expect(end.ran).not.toContain('Comment');
    expect(end.ran.filter((step) => step.startsWith('actions/upload'))).toEqual([]);
  });

  test('attune-plan.yml prints a hint if there is no snapshot', async () => {
    const stage = await gitHubStage();
    const end = await stage.start('attune-plan.yml', { ...pull, from: 'mallory/infrastructure' });
    expect(end.ok).toBe(false);
    expect(end.log).toContain('::error::There is no snapshot: start the workflow "Attune drift" on main.\n');
  });
});

describe.skipIf(!hasJq)('attune-apply.yml', () => {
  test('attune-apply.yml applies the plan of the pull request that was merged, and nothing else', async () => {
    const stage = await planned();
    // A change that is not part of the plan is kept.
    await stage.changeManually('POST', '/organizations/acme/workspaces', {
      data: { type: 'workspaces', attributes: { name: 'later' } },
    });
    const end = await stage.start('attune-apply.yml', push);
    expectOk(end);
    const artifact = join(stage.artifact({ ...end.run, id: 1 }, 'attune-plan'), 'plan.json');
    const { changes } = JSON.parse(await readFile(artifact, 'utf8'));
    const calls = changes.flatMap((change: { calls: { method: string; path: string }[] }) => change.calls);
    const writes = stage.writes();
    expect(writes).toHaveLength(calls.length);
    expect(writes.filter((write) => !write.includes('{'))).toEqual(
      expect.arrayContaining(
        calls
          .map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)
          .filter((call: string) => !call.includes('{')),
      ),
    );
    expect(end.summary).toContain('## Attune: apply');
    const journal = join(stage.artifact(end.run, 'attune-journal'), 'attune-journal.jsonl');
    expect((await readFile(journal, 'utf8')).split('\n')[0]).toContain('attune.journal/1');

    const again = await stage.start('attune-plan.yml', { event: 'workflow_dispatch', sha: 'merged' });
    expect(again.summary).toContain('0 to create, 0 to update, 0 to delete');
    expect((await stage.github()).comments).toHaveLength(1);
  });

  test('attune-apply.yml refuses a stale plan before the first write, until the plan is started again manually', async () => {
    const stage = await planned();
    await stage.changeManually('PATCH', '/organizations/acme/workspaces/network', {
      data: { type: 'workspaces', attributes: { 'auto-apply': true } },
    });
    const end = await stage.start('attune-apply.yml', push);
    expect(end.ok).toBe(false);
    expect(end.log).toContain(
      'the plan is stale: workspace.network changed after the plan was saved (auto-apply was false and is true)',
    );
    expect(end.summary).toContain('moved-on');
    expect(stage.writes()).toEqual([]);

    expectOk(await stage.start('attune-plan.yml', { event: 'workflow_dispatch', sha: 'merged' }));
    expectOk(await stage.start('attune-apply.yml', push));
    expect(stage.writes()).not.toEqual([]);
  });

  test.each([
    [
      'a push without a pull request',
      (stage: GitHubStage) =>
        stage.update((github) => {
          github.pulls = [];
        }),
    ],
    [
      'a plan that failed',
      (stage: GitHubStage) =>
        stage.update((github) => {
          github.runs = github.runs.map((run) => ({ ...run, status: 'failure' }));
        }),
    ],
    [
      'a plan of a pull request against another branch',
      (stage: GitHubStage) =>
        stage.update((github) => {
          for (const pull of github.pulls) pull.base.ref = 'other';
        }),
    ],
    [
      'a plan that another event has made',
      (stage: GitHubStage) =>
        stage.update((github) => {
          github.runs = github.runs.map((run) => ({ ...run, event: 'workflow_dispatch' }));
        }),
    ],
    [
      'a plan that was started manually on another branch with the same commit',
      (stage: GitHubStage) =>
        stage.update((github) => {
          github.pulls = [];
          github.runs = github.runs.map((run) => ({
            ...run,
            event: 'workflow_dispatch',
            head_sha: 'merged',
            head_branch: 'other',
          }));
        }),
    ],
    [
      'a plan that a fork has made',
      (stage: GitHubStage) =>
        stage.update((github) => {
          github.runs = github.runs.map((run) => ({
            ...run,
            head_repository: { full_name: 'mallory/infrastructure' },
          }));
        }),
    ],
  ])('attune-apply.yml applies nothing and prints a hint: %s', async (_, change) => {
    const stage = await planned();
    await change(stage);
    const end = await stage.start('attune-apply.yml', push);
    expect(end.ok).toBe(false);
    expect(end.log).toContain(
      '::error::No plan was reviewed for this commit; nothing was applied. Start the workflow "Attune plan" on main, look at its plan, then run this job again.\n',
    );
    expect(stage.service.requests).toEqual([]);
  });

  test('attune-apply.yml applies nothing if the files are not those that were planned, as after another merge', async () => {
    const stage = await planned();
    await stage.commit(`${declared}# merged in between\n`);
    const end = await stage.start('attune-apply.yml', push);
    expect(end.ok).toBe(false);
    expect(end.log).toContain(
      '::error::The plan was made from other files than those merged; nothing was applied.',
    );
    expect(stage.service.requests).toEqual([]);
  });

  test('attune-apply.yml refuses a plan that was edited between the jobs', async () => {
    const stage = await planned();
    const [run] = (await stage.github()).runs;
    if (run === undefined) throw new Error('no run');
    const file = join(stage.artifact(run, 'attune-plan'), 'plan.json');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('"auto-apply": true', '"auto-apply": false'),
    );
    const end = await stage.start('attune-apply.yml', push);
    expect(end.ok).toBe(false);
    expect(end.log).toContain(
      'reviewed/plan.json was modified after it was saved: its digest does not match',
    );
    expect(stage.writes()).toEqual([]);
  });
});

describe.skipIf(!hasJq)('attune-drift.yml', () => {
  const nightly = { event: 'schedule', sha: 'main' } as const;

  test('attune-drift.yml opens one issue, keeps it up to date, closes it, and opens another the next time', async () => {
    const stage = await planned();
    expectOk(await stage.start('attune-drift.yml', nightly));
    const [opened, none] = (await stage.github()).issues;
    expect(none).toBeUndefined();
    expect(opened).toMatchObject({
      state: 'open',
      labels: ['attune-drift'],
      body: expect.stringContaining('workspace.new'),
    });

    await stage.changeManually('PATCH', '/organizations/acme/workspaces/network', {
      data: { type: 'workspaces', attributes: { 'auto-apply': true } },
    });
    expectOk(await stage.start('attune-drift.yml', nightly));
    const updated = (await stage.github()).issues;
    expect(updated).toHaveLength(1);
    expect(updated[0]?.body).not.toBe(opened?.body);

    expectOk(await stage.start('attune-plan.yml', { event: 'workflow_dispatch', sha: 'merged' }));
    expectOk(await stage.start('attune-apply.yml', push));
    expectOk(await stage.start('attune-drift.yml', nightly));
    expect((await stage.github()).issues.map(({ state }) => state)).toEqual(['closed']);
    expectOk(await stage.start('attune-drift.yml', nightly));
    expect((await stage.github()).issues).toHaveLength(1);

    await stage.changeManually('PATCH', '/organizations/acme/workspaces/network', {
      data: { type: 'workspaces', attributes: { 'auto-apply': false } },
    });
    expectOk(await stage.start('attune-drift.yml', nightly));
    expect((await stage.github()).issues.map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  test('attune-drift.yml creates no issue for an error of the job', async () => {
    const stage = await gitHubStage();
    stage.service.setFaults([{ kind: 'status', status: 403 }]);
    const end = await stage.start('attune-drift.yml', nightly);
    expect(end.ok).toBe(false);
    expect(end.ran).not.toContain('Report');
    expect((await stage.github()).issues).toEqual([]);
  });

  test('attune-drift.yml never writes to the service', async () => {
    const stage = await gitHubStage();
    expectOk(await stage.start('attune-drift.yml', nightly));
    expect(stage.writes()).toEqual([]);
  });
});

describe.skipIf(!hasJq)('all three', () => {
  test('the GitHub workflows request the permissions that they use and no others', async () => {
    const stage = await planned();
    expectOk(await stage.start('attune-drift.yml', { event: 'schedule', sha: 'main' }));
    expectOk(await stage.start('attune-plan.yml', { ...pull, from: 'mallory/infrastructure' }));
    expectOk(await stage.start('attune-apply.yml', push));
    const { used } = await stage.github();
    expect(new Set(used)).toEqual(
      new Set([
        'pull-requests: read',
        'pull-requests: write',
        'actions: read',
        'issues: read',
        'issues: write',
      ]),
    );
  });

  test('the GitHub workflows have no token in an argument, an output or an artifact', async () => {
    const stage = await planned();
    const plan = await stage.start('attune-plan.yml', pull);
    const drift = await stage.start('attune-drift.yml', { event: 'schedule', sha: 'main' });
    const apply = await stage.start('attune-apply.yml', push);
    const handed = await Promise.all([
      readFile(join(stage.artifact(plan.run, 'attune-plan'), 'plan.json'), 'utf8'),
      readFile(join(stage.artifact(drift.run, 'attune-snapshot'), 'live.json'), 'utf8'),
      readFile(join(stage.artifact(drift.run, 'attune-drift'), 'drift.html'), 'utf8'),
    ]);
    const ends = [plan, drift, apply].flatMap(({ log, summary }) => [log, summary]);
    const everything = [
      ...ends,
      ...handed,
      ...(await stage.commands()),
      JSON.stringify(await stage.github()),
    ].join('\n');
    for (const token of Object.values(tokens)) expect(everything).not.toContain(token);
  });
});
