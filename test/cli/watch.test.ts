import { executionAsyncId } from 'node:async_hooks';
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Emulator, EmulatorOptions } from '../../src/emulator/index.ts';
import { sendTo } from '../support/ask.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { forward, listen, serverWith } from '../support/servers.ts';
import { type LogLine, type Pause, simulateWatch } from '../support/simulate-watch.ts';

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-1' },
  teams: { sre: 'team-1', dev: 'team-2' },
  workspaces: {
    network: { id: 'ws-network', description: 'old', tags: ['prod'] },
    billing: { id: 'ws-billing', 'remote-state-consumers': ['network'] },
    legacy: { id: 'ws-legacy' },
  },
  'team-access': { Platform: { sre: 'read', dev: 'read' } },
} as const satisfies EmulatorOptions['seed'];

const files = {
  'attune.yaml': `attune: 1
organization: acme
projects: {platform: prj-1}
teams: {sre: team-1, dev: team-2}
workspaces:
  network: {description: new}
  billing: {remote-state-consumers: []}
  fresh: {}
  legacy: {state: absent}
team-access: {platform: {sre: write, dev: none}}
`,
};

async function world(text: string = files['attune.yaml'], changed: object = {}) {
  const service = await serviceWith({ seed: { ...seed, ...changed } });
  const cwd = await folderWith({ 'attune.yaml': text });
  const requests = () => service.requests.map(({ method, path }) => `${method} ${path}`);
  return {
    service,
    cwd,
    requests,
    writes: () => requests().filter((request) => !request.startsWith('GET ')),
    write: (content: string) => writeFile(join(cwd, 'attune.yaml'), content),
    watch: (
      argv: readonly string[],
      between: (pause: Pause) => Promise<void> | void,
      onLine?: (line: LogLine, stop: () => void, stopAgain: () => void) => void,
    ) =>
      simulateWatch({ cwd, argv: ['--address', service.url, ...argv], between, ...(onLine && { onLine }) }),
  };
}

const changesOf = (lines: readonly LogLine[]) =>
  lines.flatMap(({ event, action, address, result }) =>
    event === 'change' ? [`${action} ${address} ${result}`] : [],
  );

describe('healing', () => {
  test.each(['update', 'all'])(
    'watch --heal %s applies no plan that guards.keep-admin or guards.keep-self refuses',
    async (mode) => {
      const declared = `attune: 1
organization: acme
projects: {platform: prj-1}
teams: {sre: team-1}
guards: {keep-admin: [sre], keep-self: true}
team-access: {platform: {sre: write}}
`;
      const { watch, writes } = await world(declared, {
        'team-access': { Platform: { sre: 'admin' } },
        tokens: { 'test-token': { role: 'owner', teams: ['sre'], kind: 'team' } },
      });
      const { lines } = await watch(['--heal', mode], ({ stop }) => stop());
      const errors = lines.filter(({ event, level }) => event === 'diagnostic' && level === 'error');
      expect(errors.map(({ code }) => code)).toEqual(['keep-admin', 'keep-self']);
      expect(writes()).toEqual([]);
    },
  );

  test('watch --heal none reports the differences and writes nothing', async () => {
    const { watch, writes, cwd } = await world();
    const { lines, code, stdout } = await watch([], async ({ stop, metrics, get }) => {
      const samples = await metrics();
      const drift = (kind: string, action: string) =>
        samples.get(`attune_drift_changes{action="${action}",kind="${kind}",organization="acme"}`);
      expect(drift('workspace', 'create')).toBe(1);
      expect(drift('workspace', 'update')).toBe(2);
      expect(drift('workspace', 'delete')).toBe(1);
      expect(drift('team-access', 'update')).toBe(1);
      expect(drift('team-access', 'delete')).toBe(1);
      expect(drift('project', 'create')).toBe(0);
      expect(samples.get('attune_cycles_total{organization="acme",result="success"}')).toBe(1);
      expect(samples.get('attune_oldest_read_age_seconds{organization="acme"}')).toBe(0);
      expect(await (await get('/')).text()).toContain('<h1>Drift</h1>');
      stop();
    });
    expect(writes()).toEqual([]);
    expect(changesOf(lines)).toEqual([]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(await readdir(cwd)).toEqual(['attune.yaml']);
  });

  test('watch --heal update makes creates and updates, and neither deletes nor revokes', async () => {
    const { watch, writes, cwd, service } = await world();
    const { lines } = await watch(['--heal', 'update'], async ({ cycle, stop, metrics, get }) => {
      if (cycle === 1) return;
      const samples = await metrics();
      const drift = [...samples].filter(([name, value]) => name.startsWith('attune_drift') && value > 0);
      expect(drift).toEqual([
        ['attune_drift_changes{action="delete",kind="workspace",organization="acme"}', 1],
        ['attune_drift_changes{action="delete",kind="team-access",organization="acme"}', 1],
      ]);
      expect(samples.get('attune_apply_changes_total{organization="acme",result="done"}')).toBe(4);
      expect(samples.get('attune_apply_changes_total{organization="acme",result="skipped"}')).toBe(0);
      const page = await (await get('/')).text();
      expect(page).toContain('not applied: --heal update makes no deletions');
      stop();
    });
    expect(changesOf(lines).sort()).toEqual([
      'create workspace.fresh done',
      'update team-access.platform/sre done',
      'update workspace.billing done',
      'update workspace.network done',
    ]);
    expect(writes().filter((request) => /^DELETE|safe-delete/.test(request))).toEqual([]);
    expect(await readdir(join(cwd, '.attune/journal'))).toEqual(['2026-01-05T00-00-00Z-acme.jsonl']);
    const env = { ATTUNE_TOKEN: 'any' };
    const undone = await attune(['undo', '--last', '--yes', '--address', service.url], { cwd, env });
    expect(undone.stdout).toContain('1 deleted');
  });

  test('watch --heal all deletes and revokes within the limits when two cycles in a row plan it, and the next cycle finds nothing', async () => {
    const { watch, cwd, service } = await world();
    const planned: unknown[] = [];
    const { lines } = await watch(
      ['--heal', 'all', '--no-journal'],
      async ({ cycle, get, stop, ...found }) => {
        planned.push(...found.lines.filter(({ event }) => event === 'planned'));
        if (cycle === 3) return stop();
        if (cycle > 1) return;
        const page = await (await get('/')).text();
        expect(page).toContain('not applied: a deletion is applied when two cycles in a row plan it');
      },
    );
    expect(planned).toMatchObject([
      { create: 1, update: 3, delete: 2 },
      { create: 0, update: 0, delete: 2 },
      { create: 0, update: 0, delete: 0, unchanged: 6 },
    ]);
    expect(changesOf(lines).filter((line) => line.startsWith('delete'))).toEqual([
      'delete team-access.platform/dev waiting',
      'delete workspace.legacy waiting',
      'delete team-access.platform/dev done',
      'delete workspace.legacy done',
    ]);
    expect(await readdir(cwd)).toEqual(['attune.yaml']);
    const plan = await attune(['plan', '--address', service.url], { cwd, env: { ATTUNE_TOKEN: 'any' } });
    expect(plan.stdout).toContain('No changes.');
  });

  test('watch --heal all refuses a plan above its limits, and --heal update still makes the other changes', async () => {
    const limited = `${files['attune.yaml']}limits: {deletes: 0, revokes: 0}\n`;
    const all = await world(limited);
    const refused = await all.watch(['--heal', 'all'], async ({ stop, status }) => {
      expect(await status('/readyz')).toBe(503);
      stop();
    });
    expect(all.writes()).toEqual([]);
    expect(refused.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { event: 'diagnostic', organization: 'acme', code: 'too-many-deletes', file: 'attune.yaml' },
      { event: 'diagnostic', organization: 'acme', code: 'too-many-revokes', file: 'attune.yaml' },
      { event: 'cycle-finished', result: 'failed', failures: 1, next: 7.5 },
    ]);
    const update = await world(limited);
    const healed = await update.watch(['--heal', 'update'], ({ stop }) => stop());
    expect(changesOf(healed.lines)).toHaveLength(4);
  });
});

test('watch reports a change that fails, fails the cycle, and repeats the change in the next', async () => {
  const { watch, service } = await world();
  service.setFaults([
    { kind: 'status', method: 'PATCH', path: '/workspaces/ws-network', status: 422, times: 1 },
  ]);
  const { lines } = await watch(['--heal', 'update'], async ({ cycle, metrics, stop }) => {
    const samples = await metrics();
    const of = (name: string, labels: string) => samples.get(`${name}{${labels}}`);
    if (cycle === 1) {
      expect(of('attune_apply_changes_total', 'organization="acme",result="failed"')).toBe(1);
      expect(of('attune_drift_changes', 'action="update",kind="workspace",organization="acme"')).toBe(1);
      return;
    }
    expect(of('attune_apply_changes_total', 'organization="acme",result="done"')).toBe(4);
    expect(of('attune_drift_changes', 'action="update",kind="workspace",organization="acme"')).toBe(0);
    expect(of('attune_service_requests_total', 'method="PATCH",organization="acme",status="422"')).toBe(1);
    stop();
  });
  expect(lines.find(({ result }) => result === 'failed')).toMatchObject({
    ...{ level: 'error', event: 'change', organization: 'acme', address: 'workspace.network' },
    error: 'PATCH /workspaces/ws-network answered 422: the service refused the content of the request',
  });
  expect(lines.flatMap(({ event, result }) => (event === 'cycle-finished' ? [result] : []))).toEqual([
    'failed',
    'success',
  ]);
});

test('watch --heal sends what the service ignores once, counts it as drift, and leaves no journal', async () => {
  const declared = 'attune: 1\norganization: acme\nworkspaces: {billing: {remote-state-consumers: []}}\n';
  const { cwd, service, write } = await world(declared);
  const ignored: string[] = [];
  const address = await serverWith(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    if (method !== 'GET' && url.includes('/relationships/remote-state-consumers')) {
      ignored.push(method);
      response.writeHead(204).end();
      return;
    }
    const { status, text: body } = await forward(
      service.url,
      request,
      Buffer.concat(await request.toArray()),
    );
    response.writeHead(status, { 'content-type': 'application/vnd.api+json' }).end(body);
  });
  const sent: number[] = [];
  const { lines } = await simulateWatch({
    cwd,
    argv: ['--address', address, '--heal', 'update'],
    between: async ({ cycle, metrics, get, stop }) => {
      sent.push(ignored.length);
      const samples = await metrics();
      const drift = 'attune_drift_changes{action="update",kind="workspace",organization="acme"}';
      expect(samples.get(drift)).toBe(1);
      const page = await (await get('/')).text();
      expect(page).toContain(
        cycle === 1 || cycle === 4 ? 'without the whole effect' : 'did not take it in an earlier',
      );
      if (cycle === 3) await write(declared.replace('{rem', '{description: new, rem'));
      if (cycle === 5) stop();
    },
  });
  // The new description is another change, which is sent with the consumers.
  expect(sent).toEqual([1, 1, 1, 2, 2]);
  const error = expect.stringContaining('its live remote-state-consumers still differs');
  expect(lines.filter(({ event }) => event === 'change')).toMatchObject([
    { address: 'workspace.billing', result: 'failed', error },
    { address: 'workspace.billing', result: 'partial', error },
  ]);
  expect(await readdir(join(cwd, '.attune/journal'))).toHaveLength(1);
});

test('cycles of watch whose calls are all refused leave no journal', async () => {
  const { watch, service, cwd } = await world(
    'attune: 1\norganization: acme\nworkspaces: {network: {description: new}}\n',
  );
  service.setFaults([{ kind: 'status', method: 'PATCH', path: '/workspaces/ws-network', status: 422 }]);
  await watch(['--heal', 'update'], async ({ cycle, stop }) => {
    expect(await readdir(cwd)).toEqual(['attune.yaml']);
    if (cycle === 2) stop();
  });
});

test('a journal that cannot be written fails the cycle of watch before its first call', async () => {
  const { watch, writes, cwd } = await world();
  await writeFile(join(cwd, '.attune'), 'not a folder');
  const { lines } = await watch(['--heal', 'update'], ({ stop }) => stop());
  expect(writes()).toEqual([]);
  expect(lines.find(({ event }) => event === 'diagnostic')).toMatchObject({
    ...{ level: 'error', organization: 'acme', code: 'journal-not-written' },
  });
});

test('watch exports the remaining requests that the service announces as a metric', async () => {
  const service = await serviceWith({ seed, rate: 1000 });
  const cwd = await folderWith(files);
  await simulateWatch({
    cwd,
    argv: ['--address', service.url],
    between: async ({ metrics, stop }) => {
      const samples = await metrics();
      expect(samples.get('attune_rate_limit_remaining{organization="acme"}')).toBeGreaterThan(0);
      stop();
    },
  });
});

test('watch logs once that its requests wait for a rate limit that is used up', async () => {
  const address = await serverWith((_request, response) => {
    const used = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '120' };
    response.writeHead(200, { ...used, 'content-type': 'application/vnd.api+json' });
    response.end('{"data": []}');
  });
  const { lines } = await simulateWatch({
    cwd: await folderWith(files),
    argv: ['--address', address],
    between: ({ stop }) => stop(),
  });
  const waits = lines.filter(({ message }) => String(message).includes('rate limit'));
  expect(waits[0]).toMatchObject({
    ...{ level: 'warn', event: 'message' },
    message: 'acme: waiting 120 s for the rate limit',
  });
});

test('the age of the last reading in the metrics of watch grows during an outage', async () => {
  const { watch, service } = await world();
  await watch([], async ({ cycle, time, metrics, stop, get }) => {
    const samples = await metrics();
    expect(samples.get('attune_oldest_read_age_seconds{organization="acme"}')).toBe(time / 1000);
    service.setFaults([{ kind: 'status', status: 503 }]);
    if (cycle < 3) return;
    const page = await (await get('/')).text();
    expect(page).toMatch(
      /<p class="about">Read at 2026-01-05 00:00:00 UTC\. The last cycle failed at 2026-01-05 00:10:\d\d UTC; this is the state before it\.</,
    );
    // The page is rendered once for each cycle.
    expect(await (await get('/')).text()).toBe(page);
    stop();
  });
});

test('watch --policy refuses the changes of a cycle, and loads the policy file in each cycle', async () => {
  const { watch, writes, cwd } = await world();
  const policy = (when: string) =>
    writeFile(
      join(cwd, 'policies.yaml'),
      `policies:\n  - {id: no-revokes, when: "${when}", require: "false", message: Ask first.}\n`,
    );
  await policy("change.kind == 'team-access'");
  const { lines } = await watch(['--heal', 'all', '--policy', 'policies.yaml'], async ({ cycle, stop }) => {
    if (cycle === 2) return stop();
    expect(writes()).toEqual([]);
    await policy("change.kind == 'project'");
  });
  const first = lines.filter(
    ({ event, cycle, level }) => event === 'diagnostic' && cycle === 1 && level === 'error',
  );
  expect(first.map(({ code, address }) => [code, address])).toEqual([
    ['policy', 'team-access.platform/sre'],
    ['policy', 'team-access.platform/dev'],
  ]);
  expect(changesOf(lines)).toHaveLength(6);
});

describe('files that change', () => {
  const pruning = {
    'attune.yaml': `attune: 1
organization: acme
include: [workspaces/*.yaml]
scope: {names: ["*"]}
prune: {workspaces: safe}
limits: {deletes: 10, delete-percent: 100}
`,
    'workspaces/a.yaml': 'workspaces: {network: {}, billing: {description: changed}}\n',
    'workspaces/b.yaml': 'workspaces: {legacy: {}}\n',
  };
  const start = async (texts: Readonly<Record<string, string>> = pruning) => {
    const { service, writes } = await world();
    const cwd = await folderWith(texts);
    /** Calls `change` during the first cycle: after the files are loaded, and before the plan is made. */
    const watchWhile = (argv: readonly string[], change: () => void, onPause: (pause: Pause) => void) => {
      let hasChanged = false;
      return simulateWatch({
        cwd,
        argv: ['--address', service.url, '--verbose', ...argv],
        between: onPause,
        onLine: ({ event }) => {
          if (event !== 'request' || hasChanged) return;
          hasChanged = true;
          change();
        },
      });
    };
    return { cwd, service, writes, watchWhile };
  };

  test.each([
    [
      'an included file changes',
      (cwd: string) => writeFileSync(join(cwd, 'workspaces/b.yaml'), 'workspaces: {legacy: {tags: [x]}}\n'),
    ],
    ['an included file is deleted', (cwd: string) => rmSync(join(cwd, 'workspaces/b.yaml'))],
    [
      'a file that an include pattern matches is added',
      (cwd: string) => writeFileSync(join(cwd, 'workspaces/c.yaml'), 'workspaces: {fresh: {}}\n'),
    ],
    ['the root file is deleted', (cwd: string) => rmSync(join(cwd, 'attune.yaml'))],
    [
      'a policy file changes',
      (cwd: string) => writeFileSync(join(cwd, 'policies.yaml'), 'policies: []\n# changed\n'),
    ],
  ])('watch applies nothing of a plan if %s while it is made', async (_, change) => {
    const { cwd, writes, watchWhile } = await start({ ...pruning, 'policies.yaml': 'policies: []\n' });
    const { lines } = await watchWhile(
      ['--heal', 'update', '--policy', 'policies.yaml'],
      () => change(cwd),
      ({ stop }) => {
        expect(writes()).toEqual([]);
        stop();
      },
    );
    expect(lines.find(({ event }) => event === 'diagnostic')).toMatchObject({
      ...{ level: 'error', organization: 'acme', code: 'files-changed' },
      message: 'cannot apply the plan: its files changed while it was made',
      hint: 'replace all files in one step, for example through a symbolic link to their folder',
    });
    expect(lines.find(({ event }) => event === 'cycle-finished')).toMatchObject({ result: 'failed' });
  });

  test('watch deletes no workspace whose declaration is missing in one cycle only', async () => {
    const { cwd, watchWhile, writes } = await start();
    const file = join(cwd, 'workspaces/b.yaml');
    rmSync(file);
    const { lines } = await watchWhile(
      ['--heal', 'all'],
      () => {},
      ({ cycle, stop }) => {
        // Missing in cycles 1 and 3, and declared in cycle 2.
        if (cycle === 1) writeFileSync(file, pruning['workspaces/b.yaml']);
        if (cycle === 2) rmSync(file);
        if (cycle === 3) stop();
      },
    );
    expect(changesOf(lines)).toEqual([
      'delete workspace.legacy waiting',
      'update workspace.billing done',
      'delete workspace.legacy waiting',
    ]);
    expect(writes().filter((request) => /^DELETE|safe-delete/.test(request))).toEqual([]);
  });

  test('a cycle of watch that makes no plan is not the first of the two that a deletion needs', async () => {
    const { cwd, watchWhile, writes } = await start();
    rmSync(join(cwd, 'workspaces/b.yaml'));
    const root = join(cwd, 'attune.yaml');
    await watchWhile(
      ['--heal', 'all'],
      () => {},
      ({ cycle, stop }) => {
        if (cycle === 1) writeFileSync(root, 'attune: 1\n');
        if (cycle === 2) writeFileSync(root, pruning['attune.yaml']);
        if (cycle === 3) stop();
      },
    );
    expect(writes().filter((request) => /^DELETE|safe-delete/.test(request))).toEqual([]);
  });

  test('a plan whose files changed while it was made is not the first of the two that a deletion needs', async () => {
    const { cwd, watchWhile, writes } = await start();
    const file = join(cwd, 'workspaces/b.yaml');
    rmSync(file);
    const { lines } = await watchWhile(
      ['--heal', 'all'],
      () => writeFileSync(file, pruning['workspaces/b.yaml']),
      ({ cycle, stop }) => {
        if (cycle === 1) rmSync(file);
        if (cycle === 2) stop();
      },
    );
    expect(changesOf(lines)).toContain('delete workspace.legacy waiting');
    expect(writes().filter((request) => /^DELETE|safe-delete/.test(request))).toEqual([]);
  });

  test('watch runs the program of --app again before it applies a plan, and applies nothing if it declares something else', async () => {
    const { cwd, writes, watchWhile } = await start({
      'declared.yaml': 'attune: 1\norganization: acme\nworkspaces: {network: {description: new}}\n',
    });
    const argv = ['--heal', 'update', '--app', 'cp declared.yaml "$ATTUNE_OUTDIR/acme.yaml"'];
    const { lines } = await watchWhile(
      argv,
      () => writeFileSync(join(cwd, 'declared.yaml'), 'attune: 1\norganization: acme\nworkspaces: {}\n'),
      ({ stop }) => stop(),
    );
    expect(lines.find(({ event }) => event === 'diagnostic')).toMatchObject({ code: 'files-changed' });
    expect(writes()).toEqual([]);
    const second = await watchWhile(
      argv,
      () => {},
      ({ stop }) => stop(),
    );
    expect(second.lines.find(({ event }) => event === 'cycle-finished')).toMatchObject({ result: 'success' });
  });
});

describe('configuration', () => {
  test('a broken file fails the cycle of watch, and the last valid configuration is not applied', async () => {
    const { watch, write, writes, service } = await world();
    const seen: number[] = [];
    const { lines } = await watch(['--heal', 'all'], async ({ cycle, stop, status, metrics, get }) => {
      seen.push(await status('/readyz'));
      if (cycle === 1) {
        await write(`${files['attune.yaml']}unknown-key: 1\n`);
        service.clearRequests();
      }
      if (cycle === 5) return stop();
      if (cycle < 4) return;
      const samples = await metrics();
      expect(samples.get('attune_cycles_total{organization="acme",result="failed"}')).toBe(3);
      const page = await (await get('/')).text();
      expect(page.match(/unknown-key<|The last cycle failed at 2026-01-05 00:10:22 UTC/g)).toHaveLength(3);
      await write(files['attune.yaml']);
    });
    expect(seen).toEqual([200, 200, 200, 503, 200]);
    expect(writes()).toEqual([]);
    const ends = lines.filter(({ event }) => event === 'cycle-finished');
    expect(ends.map(({ result, next }) => [result, next])).toEqual([
      ['success', 600],
      ['failed', 7.5],
      ['failed', 15],
      ['failed', 30],
      ['success', 600],
    ]);
    expect(lines.find(({ event }) => event === 'diagnostic')).toMatchObject({
      ...{ level: 'error', code: 'unknown-key', file: 'attune.yaml', line: 11 },
    });
  });

  test('watch counts a configuration that was never valid without an organization', async () => {
    const { watch } = await world('attune: 1\n');
    await watch([], async ({ stop, metrics, status }) => {
      const samples = await metrics();
      expect(samples.get('attune_cycles_total{organization="",result="failed"}')).toBe(1);
      expect(await status('/readyz')).toBe(503);
      expect(await status('/healthz')).toBe(200);
      expect(await status('/')).toBe(200);
      stop();
    });
  });

  test('SIGHUP starts a cycle of watch at once', async () => {
    const { watch } = await world();
    const reasons: unknown[] = [];
    const { lines } = await watch([], ({ cycle, time, hangUp, stop }) => {
      expect(time).toBe(0);
      if (cycle === 1) hangUp();
      else stop();
    });
    reasons.push(...lines.flatMap(({ event, reason }) => (event === 'cycle-started' ? [reason] : [])));
    expect(reasons).toEqual(['start', 'signal']);
  });
});

describe('several organizations', () => {
  test('the failure of one organization of watch does not stop another', async () => {
    const good = await serviceWith({ seed });
    const bad = await serviceWith({ seed: { organization: 'other', tokens: { only: { role: 'owner' } } } });
    const root = (organization: string, address: string) =>
      `attune: 1\norganization: ${organization}\nservice: {address: "${address}"}\nworkspaces: {network: {description: new}}\n`;
    const cwd = await folderWith({
      'good/attune.yaml': root('acme', good.url),
      'bad/attune.yaml': root('other', bad.url),
    });
    const { lines } = await simulateWatch({
      cwd,
      argv: ['good', 'bad', '--heal', 'update'],
      between: async ({ stop, metrics, status, get }) => {
        const samples = await metrics();
        expect(samples.get('attune_cycles_total{organization="acme",result="success"}')).toBe(1);
        expect(samples.get('attune_cycles_total{organization="other",result="failed"}')).toBe(1);
        expect(
          samples.get('attune_service_requests_total{method="GET",organization="other",status="401"}'),
        ).toBeGreaterThan(0);
        expect(await status('/readyz')).toBe(200);
        const page = await (await get('/')).text();
        expect(page).toMatch(/acme[\s\S]*other/);
        stop();
      },
    });
    expect(changesOf(lines)).toEqual(['update workspace.network done']);
  });
});

describe('rolling reads', () => {
  const kept = files['attune.yaml'].replace('consumers: []', 'consumers: [network]');
  const lists = (requests: readonly string[]) =>
    requests.filter((request) => request.includes('/relationships/remote-state-consumers'));
  const replaceConsumers = (service: Emulator) =>
    sendTo(service, 'PATCH', '/workspaces/ws-billing/relationships/remote-state-consumers', { data: [] });

  test('watch --max-age reports a list that another client changes within that age, and reads it once in each cycle', async () => {
    const { watch, service, requests } = await world(kept);
    const updates: unknown[] = [];
    await watch(['--max-age', '1h', '--interval', '5m'], async ({ cycle, lines, stop }) => {
      updates.push(lines.find(({ event }) => event === 'planned')?.update);
      if (cycle === 1) {
        await replaceConsumers(service);
        service.clearRequests();
      }
      if (cycle === 2) expect(lists(requests())).toEqual([]);
      if (cycle < 14) return;
      expect(updates.slice(-3)).toEqual([2, 3, 3]);
      expect(lists(requests())).toHaveLength(2);
      expect(requests().filter((request) => request.includes('acme/workspaces?'))).toHaveLength(13);
      stop();
    });
  });

  test('watch --max-age reports no difference because of an old read', async () => {
    const { watch, write, service, requests } = await world(kept);
    const updates: unknown[] = [];
    await watch(['--max-age', '1h'], async ({ cycle, lines, stop, metrics }) => {
      updates.push(lines.find(({ event }) => event === 'planned')?.update);
      if (cycle === 1) {
        await replaceConsumers(service);
        await write(files['attune.yaml']);
        service.clearRequests();
        return;
      }
      expect(updates).toEqual([2, 2]);
      expect(lists(requests())).toHaveLength(1);
      const samples = await metrics();
      expect(samples.get('attune_oldest_read_age_seconds{organization="acme"}')).toBe(0);
      stop();
    });
  });

  test('watch --max-age refuses no plan because of an old read', async () => {
    const rule = 'on: workspace, require: "size(workspace.consumers) == 0", message: Share nothing.';
    const { watch, service, requests } = await world(`attune: 1
organization: acme
workspaces: {billing: {}}
policies:
  - {id: no-sharing, ${rule}}
`);
    const { lines } = await watch(['--heal', 'all', '--max-age', '1h'], async ({ cycle, stop }) => {
      if (cycle === 2) return stop();
      await replaceConsumers(service);
      service.clearRequests();
    });
    const of = (name: string, member: string) =>
      lines.flatMap((line) => (line.event === name ? [line[member]] : []));
    expect(of('diagnostic', 'code')).toEqual(['policy']);
    expect(of('cycle-finished', 'result')).toEqual(['failed', 'success']);
    expect(lists(requests())).toHaveLength(1);
  });

  test('watch --max-age reads a newly declared list again before it is replaced', async () => {
    const { watch, write, service, requests } = await world();
    const { lines } = await watch(['--heal', 'update', '--max-age', '1h'], async ({ cycle, stop }) => {
      if (cycle === 1) {
        await write(files['attune.yaml'].replace('consumers: []', 'consumers: [fresh]'));
        service.clearRequests();
      } else stop();
    });
    expect(changesOf(lines).at(-1)).toBe('update workspace.billing done');
    const about = requests().filter((request) => request.includes('ws-billing/relationships'));
    expect(about.map((request) => request.split(' ')[0])).toEqual(['GET', 'PATCH', 'GET']);
  });
});

describe('the process', () => {
  test('the endpoints of watch answer GET and HEAD, and nothing else', async () => {
    // The description of a workspace contains the token.
    const { watch } = await world(files['attune.yaml'].replace('new', 'test-token'));
    await watch([], async ({ get, stop }) => {
      const pages = [await get('/'), await get('/metrics')];
      const texts = await Promise.all(pages.map((page) => page.text()));
      expect(texts.map((text) => text.includes('test-token'))).toEqual([false, false]);
      for (const path of ['/', '/metrics', '/healthz', '/readyz?verbose']) {
        expect((await get(path)).status).toBe(200);
        const head = await get(path, { method: 'HEAD' });
        expect([head.status, await head.text()]).toEqual([200, '']);
        const post = await get(path, { method: 'POST', body: 'x' });
        expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      }
      expect((await get('/other')).status).toBe(404);
      expect((await get('/', { method: 'HEAD' })).headers.get('content-type')).toBe(
        'text/html; charset=utf-8',
      );
      stop();
    });
  });

  test('a change that a signal interrupts is partial in the log of watch, with its calls', async () => {
    const { watch } = await world(files['attune.yaml'].replace('fresh: {}', 'fresh: {tags: [x]}'));
    const { lines } = await watch(
      ['--heal', 'update', '--parallelism', '1', '--verbose'],
      () => {},
      ({ event, method }, stop) => {
        if (event === 'request' && method === 'POST') stop();
      },
    );
    expect(lines.find(({ address }) => address === 'workspace.fresh')).toMatchObject({
      result: 'partial',
      error: 'the rest was not attempted: the run was stopped (1 of 2 calls completed)',
    });
  });

  test('a signal during an apply of watch finishes running calls, starts no others, and exits with 0', async () => {
    const { watch, cwd } = await world();
    const { code, lines } = await watch(
      ['--heal', 'update', '--parallelism', '1', '--verbose'],
      () => {},
      ({ event, method }, stop) => {
        if (event === 'request' && method !== 'GET') stop();
      },
    );
    expect(code).toBe(0);
    expect(changesOf(lines).filter((change) => change.endsWith('done'))).toHaveLength(1);
    const skipped = lines.filter(({ result }) => result === 'skipped');
    expect(skipped.map(({ level, error }) => [level, error])).toEqual([
      ['info', 'not attempted: the run was stopped'],
      ['info', 'not attempted: the run was stopped'],
      ['info', 'not attempted: the run was stopped'],
    ]);
    expect(
      lines
        .map(({ event }) => event)
        .filter((event) => event !== 'request')
        .slice(-1),
    ).toEqual(['stopped']);
    expect(await readdir(join(cwd, '.attune/journal'))).toHaveLength(1);
  });

  test('a signal while watch reads logs nothing about the reads that it ends', async () => {
    const service = await serviceWith({ seed, faults: [{ kind: 'status', status: 503, times: 5 }] });
    const { code, lines } = await simulateWatch({
      cwd: await folderWith(files),
      argv: ['--address', service.url, '--heal', 'all', '--verbose'],
      between: () => {},
      onLine: ({ status }, stop) => {
        if (status === 503) stop();
      },
    });
    expect(code).toBe(0);
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(lines.some(({ event }) => event === 'diagnostic')).toBe(false);
    expect(lines.filter(({ event }) => event === 'message')).toEqual([]);
    expect(lines.map(({ event }) => event)).toContain('stopping');
  });

  test('watch logs no empty event at a second signal before anything can be written', async () => {
    const { watch } = await world();
    const { lines } = await watch(
      ['--heal', 'none', '--verbose'],
      () => {},
      ({ event }, stop, stopAgain) => {
        if (event !== 'request') return;
        stop();
        stopAgain();
      },
    );
    expect(lines.filter(({ message }) => message === '')).toEqual([]);
  });

  test('a second signal of watch is logged with the written changes as an event', async () => {
    const { watch } = await world();
    let isSecond = false;
    const { lines } = await watch(
      ['--heal', 'update', '--parallelism', '1', '--verbose'],
      () => {},
      ({ event, method }, stop, stopAgain) => {
        if (event !== 'request' || method === 'GET' || isSecond) return;
        isSecond = true;
        stop();
        stopAgain();
      },
    );
    expect(lines.filter(({ level, event }) => level === 'warn' && event === 'message')).toMatchObject([
      {
        message: 'acme: 0 of 4 calls confirmed by the service; calls that were running may have taken effect',
      },
    ]);
  });

  test('watch reports the address of a port that is in use', async () => {
    const port = await listen(createServer());
    const { cwd, service } = await world();
    const argv = ['watch', '--listen', `127.0.0.1:${port}`, '--address', service.url];
    const ran = await attune(argv, { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      `error[not-listening]: cannot listen on 127.0.0.1:${port}: the port is in use\n  hint: stop the other process, or choose another address with --listen HOST:PORT\n`,
    );
  });

  test('SIGHUP and SIGTERM have handlers before watch loads anything or listens', async () => {
    const { cwd, service } = await world();
    const seen: string[] = [];
    const stopping = new AbortController();
    const { code } = await attune(['watch', '--listen', '127.0.0.1:0', '--address', service.url], {
      cwd,
      interrupts: { stop: stopping.signal, exitCode: () => 143, release: () => seen.push('released') },
      onHangup: (hangUp) => {
        seen.push('caught');
        hangUp();
        stopping.abort();
      },
      onStderr: (line) => seen.push(JSON.parse(line).event),
    });
    expect(code).toBe(0);
    expect(seen).toEqual(['caught', 'stopping', 'listening', 'stopped', 'released']);
    expect(service.requests).toEqual([]);
  });

  test('an ended watch has no effect on the speed of later promises', async () => {
    const { watch } = await world();
    const { code } = await watch([], ({ stop }) => stop());
    expect(code).toBe(0);
    await new Promise(setImmediate);
    // Node.js gives a promise a separate id only while something follows the promises of the process.
    const id = executionAsyncId();
    await undefined;
    expect(executionAsyncId()).toBe(id);
  });

  test('watch --once runs one cycle without a listener and exits with its result', async () => {
    const { cwd, service } = await world();
    const env = { ATTUNE_TOKEN: 'any' };
    const once = () =>
      attune(['watch', '--once', '--heal', 'update', '--address', service.url], { cwd, env });
    const first = await once();
    expect(first.code).toBe(0);
    expect(first.stderr).not.toContain('listening');
    const update = { address: 'workspace.network', action: 'update', result: 'done' };
    expect(logged(first.stderr, 'change')).toContainEqual(expect.objectContaining(update));
    expect(logged(first.stderr, 'cycle-finished')).toMatchObject([{ cycle: 1, result: 'success' }]);
    await rm(join(cwd, 'attune.yaml'));
    const failed = await once();
    expect(failed.code).toBe(1);
    expect(logged(failed.stderr, 'diagnostic')).toMatchObject([
      { level: 'error', code: 'file-not-found', message: 'attune.yaml does not exist', file: 'attune.yaml' },
    ]);
  });

  test('watch --once --heal all runs a second cycle for deletions, and ends after it', async () => {
    const { cwd, service } = await world();
    const clock = jumpingClock();
    const argv = ['watch', '--once', '--heal', 'all', '--address', service.url];
    const { code, stderr } = await attune(argv, { cwd, clock, env: { ATTUNE_TOKEN: 'any' } });
    expect(code).toBe(0);
    expect(
      logged(stderr, 'change').flatMap(({ address, result }) =>
        address === 'workspace.legacy' ? [result] : [],
      ),
    ).toEqual(['waiting', 'done']);
    expect(logged(stderr, 'cycle-finished')).toMatchObject([
      { cycle: 1, result: 'success', next: 10 },
      { cycle: 2, result: 'success' },
    ]);
    const again = await attune(argv, { cwd, clock, env: { ATTUNE_TOKEN: 'any' } });
    expect(logged(again.stderr, 'cycle-finished')).toHaveLength(1);
  });

  test.each([
    ['--interval', '10', 'Allowed are durations up to 24d with a unit, such as 30s, 10m, 1h or 1d.'],
    ['--jitter', '100%', 'Allowed are percentages from 0% to 99%, such as 10%.'],
    ['--listen', '8080', 'Allowed are a host and a port, such as 127.0.0.1:8080 or [::1]:8080.'],
    ['--heal', 'some', 'Allowed choices are none, update, all.'],
  ])('watch refuses %s %s and prints the accepted values', async (flag, value, allowed) => {
    const ran = await attune(['watch', flag, value], { cwd: '.' });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(allowed);
  });
});

/** The lines of a log with one event. */
function logged(stderr: string, event: string): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.filter((line) => line.event === event);
}
