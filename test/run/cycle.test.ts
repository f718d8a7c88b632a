import { rmSync, writeFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endingOf } from '../../src/model/apply-result.ts';
import { createContext } from '../../src/run/context.ts';
import {
  type CycleOptions,
  type CycleOutcome,
  createCycle,
  isSuccessful,
} from '../../src/run/cycle/create-cycle.ts';
import type { ServiceEvent } from '../../src/service/exchange.ts';
import { sendTo } from '../support/ask.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { declared, head, seed } from '../support/drifting-organization.ts';
import { jumpingClock } from '../support/fake-clock.ts';

interface Started {
  readonly heal?: CycleOptions['heal'];
  readonly maxAge?: number;
  readonly address?: string;
  readonly policy?: readonly string[];
  readonly app?: string;
  readonly parallelism?: number;
  readonly roots?: readonly string[];
  /** Gets each request that was answered. */
  readonly onRequest?: (method: string) => void;
}

async function world(files: string | Readonly<Record<string, string>> = declared, changed: object = {}) {
  const service = await serviceWith({ seed: { ...seed, ...changed } });
  const cwd = await folderWith(typeof files === 'string' ? { 'attune.yaml': files } : files);
  const clock = jumpingClock();
  const stop = new AbortController();
  const requests = () => service.requests.map(({ method, path }) => `${method} ${path}`);
  return {
    service,
    cwd,
    clock,
    stop,
    requests,
    writes: () => requests().filter((request) => !request.startsWith('GET ')),
    /** Without a content, the file is deleted. */
    write: (content: string | undefined, file = 'attune.yaml') => {
      if (content === undefined) rmSync(join(cwd, file), { force: true });
      else writeFileSync(join(cwd, file), content);
    },
    /** The cycles of one run. */
    start({ heal = 'none', maxAge, roots = [], onRequest, ...options }: Started) {
      const observe = (event: ServiceEvent) => {
        if (event.type === 'attempt') onRequest?.(event.method);
      };
      const env = { ATTUNE_TOKEN: 'test-token' };
      const address = roots.length === 0 && { address: service.url };
      const context = createContext({ cwd, env, ...address, ...options, observer: { observe } });
      const date = () => new Date(Date.UTC(2026, 0, 5) + clock.now() - 1_000_000);
      const cycle = createCycle(
        { ...context, io: { ...context.io, home: cwd, clock, date } },
        { roots, heal, maxAge, stop: stop.signal, clientOf: (client) => client },
      );
      return async () => shown(await cycle());
    },
  };
}

/** What a cycle found and did, in short. */
function shown(outcome: CycleOutcome) {
  const found = outcome.organizations.flatMap((one) => one.found ?? []);
  const entries = [
    ...outcome.refused,
    ...outcome.organizations.flatMap(({ errors }) => errors),
    ...found.flatMap((one) => one.entries),
  ];
  const sum = (action: 'create' | 'update' | 'delete') =>
    found.flatMap(({ plans }) => plans).reduce((total, { summary }) => total + summary[action], 0);
  return {
    isSuccess: isSuccessful(outcome),
    errors: entries.flatMap(({ diagnostics }) =>
      diagnostics.flatMap(({ severity, code }) => (severity === 'error' ? [code] : [])),
    ),
    planned: [sum('create'), sum('update'), sum('delete')],
    applied: found
      .flatMap((one) => one.applied)
      .map((one) => `${one.action} ${one.address} ${endingOf(one)}`)
      .sort(),
    reasons: found.flatMap((one) => one.applied.flatMap(({ error }) => error?.message ?? [])),
    waiting: found.flatMap((one) => one.waiting.map(({ address }) => address)).sort(),
    remaining: found.flatMap((one) => one.remaining.map(({ address }) => address)).sort(),
  };
}

const deletes = (requests: readonly string[]) =>
  requests.filter((request) => /^DELETE|safe-delete/.test(request));
const creations = ['create workspace.fresh done'];
const updates = ['team-access.platform/sre', 'workspace.billing', 'workspace.network'].map(
  (address) => `update ${address} done`,
);
const deletions = ['team-access.platform/dev', 'workspace.legacy'];

test('watch --heal update makes creates and updates with a journal, and neither deletes nor revokes', async () => {
  const { start, writes, cwd } = await world();
  const cycle = start({ heal: 'update' });
  const first = await cycle();
  expect(first).toMatchObject({ isSuccess: true, waiting: [], remaining: deletions });
  expect(first.applied).toEqual([...creations, ...updates]);
  expect(await cycle()).toMatchObject({ applied: [], remaining: deletions });
  expect(deletes(writes())).toEqual([]);
  expect(await readdir(join(cwd, '.attune/journal'))).toEqual(['2026-01-05T00-00-00Z-acme.jsonl']);
});

test('watch --heal all deletes and revokes when two cycles in a row plan it, and the next cycle finds nothing', async () => {
  const { start } = await world();
  const cycle = start({ heal: 'all' });
  expect(await cycle()).toMatchObject({ planned: [1, 3, 2], waiting: deletions });
  const second = await cycle();
  expect(second).toMatchObject({ planned: [0, 0, 2], waiting: [] });
  expect(second.applied).toEqual(deletions.map((address) => `delete ${address} done`));
  expect(await cycle()).toMatchObject({ planned: [0, 0, 0], remaining: [] });
});

test('watch --heal all refuses a plan above its limits, and --heal update still makes the other changes', async () => {
  const { start, writes } = await world(`${declared}limits: {deletes: 0, revokes: 0}\n`);
  const refused = { isSuccess: false, errors: ['too-many-deletes', 'too-many-revokes'], applied: [] };
  expect(await start({ heal: 'all' })()).toMatchObject(refused);
  expect(writes()).toEqual([]);
  expect((await start({ heal: 'update' })()).applied).toHaveLength(4);
});

test('a change that fails is applied again in the next cycle, and only refused calls leave no journal', async () => {
  const { start, service, cwd } = await world(`${head}workspaces: {network: {description: new}}\n`);
  service.setFaults([{ kind: 'status', method: 'PATCH', status: 422, times: 1 }]);
  const cycle = start({ heal: 'update' });
  expect(await cycle()).toMatchObject({
    isSuccess: false,
    applied: ['update workspace.network failed'],
    reasons: ['PATCH /workspaces/ws-network answered 422: the service refused the content of the request'],
    remaining: ['workspace.network'],
  });
  expect(await readdir(join(cwd, '.attune', 'journal'))).toEqual([]);
  expect(await cycle()).toMatchObject({ isSuccess: true, applied: ['update workspace.network done'] });
});

test('a journal that cannot be written fails the cycle before its first call', async () => {
  const { start, writes, cwd } = await world();
  await writeFile(join(cwd, '.attune'), 'not a folder');
  expect(await start({ heal: 'update' })()).toMatchObject({
    isSuccess: false,
    errors: ['journal-not-written'],
  });
  expect(writes()).toEqual([]);
});

test('policies refuse the changes of a cycle, and their file is loaded in each cycle', async () => {
  const { start, writes, write } = await world();
  const policy = (when: string) =>
    write(
      `policies:\n  - {id: no-revokes, when: "${when}", require: "false", message: Ask first.}\n`,
      'policies.yaml',
    );
  const cycle = start({ heal: 'update', policy: ['policies.yaml'] });
  policy("change.kind == 'team-access'");
  expect(await cycle()).toMatchObject({ errors: ['policy', 'policy'], applied: [] });
  expect(writes()).toEqual([]);
  policy("change.kind == 'project'");
  expect((await cycle()).applied).toHaveLength(4);
});

test('a read that a signal ends is not an error', async () => {
  const { start, service, stop } = await world();
  service.setFaults([{ kind: 'status', status: 503, times: 5 }]);
  const outcome = await start({ heal: 'all', onRequest: () => stop.abort() })();
  expect(outcome).toMatchObject({ isSuccess: false, errors: [], applied: [] });
});

test('the failure of one organization of watch does not stop another', async () => {
  const [good, bad] = [
    await serviceWith({ seed }),
    await serviceWith({ seed: { organization: 'other', tokens: { only: { role: 'owner' } } } }),
  ];
  const root = (organization: string, address: string) =>
    `attune: 1\norganization: ${organization}\nservice: {address: "${address}"}\nworkspaces: {network: {description: new}}\n`;
  const { start } = await world({
    'bad/attune.yaml': root('other', bad.url),
    'good/attune.yaml': root('acme', good.url),
  });
  const { isSuccess, errors, applied } = await start({ heal: 'update', roots: ['bad', 'good'] })();
  expect([isSuccess, errors, applied]).toEqual([false, ['service-error'], ['update workspace.network done']]);
});

const pruning = {
  'attune.yaml': `${head}include: [workspaces/*.yaml]
scope: {names: ["*"]}
prune: {workspaces: safe}
limits: {deletes: 10, delete-percent: 100}
`,
  'policies.yaml': 'policies: []\n',
  'workspaces/a.yaml': 'workspaces: {network: {}, billing: {description: changed}}\n',
  'workspaces/b.yaml': 'workspaces: {legacy: {}}\n',
};
const missing = 'workspaces/b.yaml';

test.each<[string, string, string | undefined]>([
  ['an included file changes', missing, 'workspaces: {legacy: {tags: [x]}}\n'],
  ['an included file is deleted', missing, undefined],
  ['a file that an include pattern matches is added', 'workspaces/c.yaml', 'workspaces: {fresh: {}}\n'],
  ['the root file is deleted', 'attune.yaml', undefined],
  ['a policy file changes', 'policies.yaml', 'policies: []\n# changed\n'],
])('watch applies nothing of a plan if %s while it is made', async (_, file, content) => {
  const { writes, start, write } = await world(pruning);
  const onRequest = () => write(content, file);
  expect(await start({ heal: 'update', policy: ['policies.yaml'], onRequest })()).toMatchObject({
    isSuccess: false,
    errors: ['files-changed'],
    applied: [],
  });
  expect(writes()).toEqual([]);
});

test.each([
  ['has the declaration', missing, pruning[missing]],
  ['makes no plan', 'attune.yaml', 'attune: 1\n'],
])('a deletion of watch waits again after a cycle that %s', async (_, file, content) => {
  const { start, write, writes } = await world(pruning);
  const cycle = start({ heal: 'all' });
  write(undefined, missing);
  expect(await cycle()).toMatchObject({ waiting: ['workspace.legacy'] });
  write(content, file);
  expect(await cycle()).toMatchObject({ waiting: [] });
  write(pruning['attune.yaml']);
  write(undefined, missing);
  expect(await cycle()).toMatchObject({ waiting: ['workspace.legacy'] });
  expect(deletes(writes())).toEqual([]);
});

test('the program of --app runs again in a cycle before a plan is applied, and nothing is applied if it declares something else', async () => {
  const { start, write, writes } = await world({
    'declared.yaml': `${head}workspaces: {network: {description: new}}\n`,
  });
  const onRequest = () => write(`${head}workspaces: {}\n`, 'declared.yaml');
  const cycle = start({ heal: 'update', app: 'cp declared.yaml "$ATTUNE_OUTDIR/acme.yaml"', onRequest });
  expect(await cycle()).toMatchObject({ errors: ['files-changed'] });
  expect(writes()).toEqual([]);
  expect(await cycle()).toMatchObject({ isSuccess: true });
});

test('a broken file fails the cycle of watch, and the last valid configuration is not applied', async () => {
  const { start, write, requests, service } = await world(`${head}workspaces: {network: {}}\n`);
  const cycle = start({ heal: 'all' });
  expect(await cycle()).toMatchObject({ isSuccess: true });
  service.clearRequests();
  write(`${head}workspaces: {network: {}}\nunknown-key: 1\n`);
  expect(await cycle()).toMatchObject({ isSuccess: false, errors: ['unknown-key'] });
  expect(requests()).toEqual([]);
});

const hour = 3_600_000;
const kept = declared.replace('consumers: []', 'consumers: [network]');
const lists = (requests: readonly string[]) =>
  requests.filter((request) => request.includes('/relationships/remote-state-consumers'));
const rolling = async (text: string, heal: CycleOptions['heal'] = 'none') => {
  const found = await world(text);
  const { service } = found;
  return {
    ...found,
    cycle: found.start({ heal, maxAge: hour }),
    replaceConsumers: async () => {
      const path = '/workspaces/ws-billing/relationships/remote-state-consumers';
      await sendTo(service, 'PATCH', path, { data: [] });
      service.clearRequests();
    },
  };
};

test('watch --max-age finds what another client changed in a list within that age, and reads it once in each period', async () => {
  const { cycle, clock, requests, replaceConsumers } = await rolling(kept);
  expect((await cycle()).planned).toEqual([1, 2, 2]);
  await replaceConsumers();
  const found = [];
  for (let count = 2; count <= 14; count += 1) {
    clock.pass(hour / 12);
    found.push((await cycle()).planned[1]);
    if (count === 2) expect(lists(requests())).toEqual([]);
  }
  expect(found.slice(-3)).toEqual([2, 3, 3]);
  expect(lists(requests())).toHaveLength(2);
  expect(requests().filter((request) => request.includes('acme/workspaces?'))).toHaveLength(13);
});

test('watch --max-age reports no difference because of an old read', async () => {
  const { cycle, clock, write, requests, replaceConsumers } = await rolling(kept);
  expect((await cycle()).planned).toEqual([1, 2, 2]);
  await replaceConsumers();
  write(declared);
  clock.pass(hour / 6);
  expect(await cycle()).toMatchObject({ planned: [1, 2, 2] });
  expect(lists(requests())).toHaveLength(1);
});

test('watch --max-age refuses no plan because of an old read', async () => {
  const rule = 'on: workspace, require: "size(workspace.consumers) == 0", message: Share nothing.';
  const { cycle, requests, replaceConsumers } = await rolling(
    `${head}workspaces: {billing: {}}\npolicies: [{id: no-sharing, ${rule}}]\n`,
    'all',
  );
  expect(await cycle()).toMatchObject({ isSuccess: false, errors: ['policy'] });
  await replaceConsumers();
  expect(await cycle()).toMatchObject({ isSuccess: true, errors: [] });
  expect(lists(requests())).toHaveLength(1);
});

test('watch --max-age reads a newly declared list again before it is replaced', async () => {
  const { cycle, write, service, requests } = await rolling(declared, 'update');
  await cycle();
  write(declared.replace('consumers: []', 'consumers: [fresh]'));
  service.clearRequests();
  expect((await cycle()).applied).toEqual(['update workspace.billing done']);
  const about = requests().filter((request) => request.includes('ws-billing/relationships'));
  expect(about.map((request) => request.split(' ')[0])).toEqual(['GET', 'PATCH']);
});
