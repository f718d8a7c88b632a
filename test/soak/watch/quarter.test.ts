import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Fault, type RequestEntry, startEmulator } from '../../../src/emulator/index.ts';
import { ask, sendTo, workspaceBody } from '../../support/ask.ts';
import { attune, folderWith } from '../../support/attune.ts';
import { random } from '../../support/random.ts';
import { simulateWatch } from '../../support/simulate-watch.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const at = (time: string) => Date.parse(time);

const start = at('2026-11-16T00:00:00Z');
const end = at('2027-02-11T00:00:00Z');

const names = ['canary-1', 'canary-2', 'staging-1', 'prod-1', 'prod-2', 'api'] as const;
/** Those of `prod` are frozen on weekends. */
const tagOf = (name: string) => (name === 'api' ? 'prod' : name.slice(0, -2));

const exceptionEnds = at('2026-12-15T00:00:00Z');
const accessEnds = at('2027-01-01T00:00:00Z');

/** The declared versions: one is released shortly before the freeze of the year end. */
const releases = [
  { from: start, version: '1.10.2' },
  { from: at('2026-12-01T10:00:00Z'), version: '1.11.0' },
  { from: at('2026-12-18T16:00:00Z'), version: '1.11.4' },
  { from: at('2027-01-19T10:00:00Z'), version: '1.12.0' },
];

const versionAt = (time: number) => releases.findLast(({ from }) => from <= time)?.version ?? '';
const isIn = (time: number, { from, to }: { readonly from: number; readonly to: number }) =>
  time >= from && time < to;

/** The windows in UTC: Berlin is an hour ahead of it throughout the quarter. */
function windowsOf(name: string | undefined): readonly { readonly from: number; readonly to: number }[] {
  const yearEnd = { from: at('2026-12-19T00:00:00Z'), to: at('2027-01-04T06:00:00Z') };
  if (name === undefined || tagOf(name) !== 'prod') return [yearEnd];
  const first = at('2026-11-13T17:00:00Z');
  const weekends = Array.from({ length: 15 }, (_, week) => first + week * 7 * day);
  return [yearEnd, ...weekends.map((from) => ({ from, to: from + 60 * hour }))];
}

function configuration(time: number): string {
  const revision = Math.floor((time - start) / (5 * day));
  const entries = names.map((name) => {
    const own = name === 'api' ? ', auto-apply: false' : '';
    return `  ${name}: {tags: [${tagOf(name)}], description: revision ${revision}${own}}`;
  });
  return `attune: 1
organization: acme
projects: {shop: prj-shop}
teams: {sre: team-sre, contractors: team-contractors}
limits: {revokes: 5}
freeze:
  - {from: 2026-12-19T00:00:00Z, to: 2027-01-04T06:00:00Z, reason: year end}
  - {cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin, reason: weekend, select: {tag: prod}}
exceptions:
  - {address: workspace.api, field: auto-apply, value: true, until: 2026-12-14, reason: INC-7}
defaults: {workspace: {iac-version: "${versionAt(time)}"}}
workspaces:
${entries.join('\n')}
team-access:
  shop:
    sre: admin
    contractors: {access: write, until: 2026-12-31, reason: Q4 migration}
`;
}

const seed = {
  organization: 'acme',
  projects: { Shop: 'prj-shop' },
  teams: { sre: 'team-sre', contractors: 'team-contractors' },
  workspaces: Object.fromEntries(
    names.map((name) => [
      name,
      {
        id: `ws-${name}`,
        tags: [tagOf(name)],
        'iac-version': '1.10.2',
        'auto-apply': name === 'api',
      },
    ]),
  ),
  'team-access': { Shop: { sre: 'admin', contractors: 'write' } },
};

test('a quarter of holds and faults ends with the state of the files, and no write is one that a hold keeps back', async () => {
  const draw = random(Number(process.env.ATTUNE_SEED));
  const cwd = await folderWith({ 'attune.yaml': configuration(start) });
  let now = start;
  let cycleBegan = start;
  /** Whether the requests are those of another client. */
  let isOther = false;
  const wrong: string[] = [];
  const sent = { updates: 0, versions: 0, revokes: 0 };

  const log = (entry: RequestEntry) => {
    if (isOther || entry.method === 'GET') return;
    const problem = whyHeld(entry, { now, cycleBegan });
    const { method, path } = entry;
    if (problem !== undefined) wrong.push(`${new Date(now).toISOString()} ${method} ${path}: ${problem}`);
    if (entry.status >= 300 || entry.status === 0) return;
    if (method === 'DELETE') sent.revokes += 1;
    else sent.updates += 1;
    if (method === 'PATCH' && attributesOf(entry)['iac-version'] !== undefined) sent.versions += 1;
  };
  const service = await startEmulator({ seed, log });
  const { url } = service;
  onTestFinished(() => service.stop());

  /** As another client, while the service has no faults. */
  const changeManually = async (name: string, attributes: object) => {
    isOther = true;
    await sendTo({ url }, 'PATCH', `/workspaces/ws-${name}`, workspaceBody(attributes));
    isOther = false;
  };

  const outages = Array.from({ length: 6 }, () => {
    const from = start + Math.floor(draw() * 85 * day);
    const kinds: readonly Fault[] = [
      { kind: 'status', status: 503 },
      { kind: 'cut-before' },
      { kind: 'html', status: 502 },
    ];
    return { from, to: from + (2 + draw() * 10) * hour, faults: [kinds[Math.floor(draw() * 3)] as Fault] };
  });

  /** Sets up the world for the cycle that starts at a time; returns whether that cycle can succeed. */
  const prepare = async (time: number): Promise<boolean> => {
    service.setFaults([]);
    // In the last week, no other client changes anything.
    if (draw() < 0.1 && time < end - 7 * day) {
      const name = names[Math.floor(draw() * names.length)] as string;
      const attributes = draw() < 0.5 ? { 'iac-version': '1.9.8' } : { description: 'manual' };
      await changeManually(name, attributes);
    }
    await writeFile(join(cwd, 'attune.yaml'), configuration(time));
    const outage = outages.find((one) => isIn(time, one));
    if (outage) service.setFaults(outage.faults);
    else if (draw() < 0.1) service.setFaults([{ kind: 'status', status: 429, reset: 20, nth: 2, times: 3 }]);
    cycleBegan = time;
    return !outage;
  };

  /** The pipeline that revokes access: `--heal update` revokes nothing. */
  const applyInPipeline = async (time: number) => {
    service.setFaults([]);
    cycleBegan = time;
    now = time;
    const argv = ['apply', '--yes', '--skip-frozen', '--address', url];
    return attune(argv, { cwd, env: { ATTUNE_TOKEN: 'any' }, date: () => new Date(time) });
  };

  let canSucceed = await prepare(start);
  let revoked = false;
  const results = { success: 0, failed: 0 };
  await simulateWatch({
    cwd,
    start,
    argv: ['--address', url, '--heal', 'update', '--interval', '6h'],
    random: draw,
    onTime: (time) => {
      now = time;
    },
    between: async ({ lines, time, metrics, stop }) => {
      expect(wrong).toEqual([]);
      const ended = lines.find(({ event }) => event === 'cycle-finished');
      const when = new Date(start + time).toISOString();
      expect([when, ended?.result]).toEqual([when, canSucceed ? 'success' : 'failed']);
      results[canSucceed ? 'success' : 'failed'] += 1;
      const isFrozen = (one: number) =>
        names.some((name) => windowsOf(name).some((window) => isIn(one, window)));
      if (canSucceed && !isFrozen(cycleBegan) && !isFrozen(start + time)) {
        const samples = await metrics();
        expect(samples.get('attune_held_changes{by="freeze",organization="acme"}')).toBe(0);
      }
      const next = start + time + Number(ended?.next) * 1000;
      if (next >= end) return stop();
      if (!revoked && start + time >= at('2027-01-11T09:00:00Z')) {
        revoked = true;
        expect(sent.revokes).toBe(0);
        canSucceed = await prepare(start + time);
        expect((await applyInPipeline(start + time)).code).toBe(0);
        expect(sent.revokes).toBe(1);
      }
      canSucceed = await prepare(next);
    },
  });
  expect(wrong).toEqual([]);
  expect(sent.revokes).toBe(1);
  expect(sent.versions).toBeGreaterThanOrEqual(3 * names.length);
  expect(results.success).toBeGreaterThan(300);
  expect(results.failed).toBeGreaterThan(0);
  service.setFaults([]);
  const plan = await attune(['plan', '--address', url], {
    cwd,
    env: { ATTUNE_TOKEN: 'any' },
    date: () => new Date(end),
  });
  expect(plan.stdout).toContain('No changes. The live state matches the configuration');
  const { data }: ListDocument = (await ask({ url }, 'GET', '/organizations/acme/workspaces')).body;
  const live = data.map(({ attributes }) => [attributes['iac-version'], attributes['auto-apply']]);
  expect(live).toEqual(names.map(() => ['1.12.0', false]));
});

function attributesOf({ body }: RequestEntry): Readonly<Record<string, unknown>> {
  return (body as { data?: { attributes?: Record<string, unknown> } } | undefined)?.data?.attributes ?? {};
}

interface Moment {
  readonly now: number;
  readonly cycleBegan: number;
}

/** Which hold a write does not respect; `undefined` if it respects all. */
function whyHeld(entry: RequestEntry, { now, cycleBegan }: Moment): string | undefined {
  const { method, path } = entry;
  if (method === 'DELETE')
    return /^\/team-projects\//.test(path) && now >= accessEnds ? frozen() : 'a deletion';
  const name = /^\/workspaces\/ws-([a-z0-9-]+)/.exec(path)?.[1];
  if (!names.some((one) => one === name)) return 'not a workspace';
  const isAutoApplied = attributesOf(entry)['auto-apply'] !== undefined;
  if (name === 'api' && isAutoApplied && now < exceptionEnds) return 'an exception';
  return frozen(name);

  function frozen(selected?: string): string | undefined {
    const window = windowsOf(selected).find((one) => isIn(now, one));
    // Running changes finish.
    const isRunning = window && cycleBegan < window.from && now < window.from + 5 * minute;
    return window && !isRunning ? 'a freeze window' : undefined;
  }
}

interface ListDocument {
  readonly data: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
}
