import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/index.ts';
import { sendTo, workspaceBody } from '../../support/ask.ts';
import { attune, folderWith, serviceWith } from '../../support/attune.ts';
import { simulateWatch } from '../../support/simulate-watch.ts';

const hour = 3_600_000;

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-1', Web: 'prj-2' },
  teams: { sre: 'team-1', dev: 'team-2' },
  workspaces: {
    network: { id: 'ws-network', tags: ['prod'], 'remote-state-consumers': ['billing'] },
    billing: { id: 'ws-billing', 'data-retention': { 'delete-older-than-days': 7 } },
    web: { id: 'ws-web', description: 'the shop' },
    legacy: { id: 'ws-legacy' },
  },
  'team-access': { Platform: { sre: 'admin', dev: 'read' }, Web: { dev: 'write' } },
} as const;

/** The configuration; `revision` changes with each release, and a tombstone and a revoke come and go. */
function configuration({
  revision,
  isCleaning,
}: {
  readonly revision: number;
  readonly isCleaning: boolean;
}) {
  return `attune: 1
organization: acme
projects: {platform: prj-1, web: prj-2}
teams: {sre: team-1, dev: team-2}
workspaces:
  network: {tags: [prod, managed], remote-state-consumers: [billing, web]}
  billing: {data-retention: {delete-older-than-days: 30}, description: revision ${revision}}
  web: {auto-apply: false, description: the shop}
  legacy: ${isCleaning ? '{state: absent}' : '{description: still needed}'}
team-access:
  platform: {sre: admin, dev: ${isCleaning ? 'none' : 'read'}}
  web: {dev: write}
`;
}

/** Faults of the service, from an hour up to another. */
const outages = [
  { from: 20, to: 26, faults: [{ kind: 'status', status: 503 }] },
  { from: 50, to: 51, faults: [{ kind: 'cut-before' }] },
  { from: 120, to: 123, faults: [{ kind: 'html', status: 502 }] },
] as const;
const throttled = { from: 60, to: 90 };
const broken = { from: 70, to: 72 };
const deleted = { from: 100, to: 103 };
const cleaning = { from: 30, to: 45 };

const isIn = (at: number, { from, to }: { readonly from: number; readonly to: number }) =>
  at >= from && at < to;

/** Another client changes a value on the service. */
async function changeManually(service: Emulator, choice: number): Promise<void> {
  const changes = [
    ['ws-web', workspaceBody({ 'auto-apply': true })],
    ['ws-web', workspaceBody({ description: 'changed' })],
    ['ws-network/relationships/remote-state-consumers', { data: [] }],
    ['ws-network/relationships/remote-state-consumers', { data: [{ id: 'ws-legacy', type: 'workspaces' }] }],
  ] as const;
  const [path, body] = changes[choice % changes.length] ?? changes[0];
  await sendTo(service, 'PATCH', `/workspaces/${path}`, body);
}

test('a week with faults ends with the live state of the files, and deletes nothing', async () => {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': configuration({ revision: 0, isCleaning: false }) });
  const file = join(cwd, 'attune.yaml');
  const deletions: string[] = [];
  let failures = 0;
  let succeeded = 0;
  let failed = 0;
  let choice = Number(process.env.ATTUNE_SEED) % 1000;
  let written = '';

  /** Sets up the world for the cycle that starts at an hour; returns whether that cycle can succeed. */
  const prepare = async (at: number): Promise<boolean> => {
    const outage = outages.find((one) => isIn(at, one));
    choice += 1;
    // No client can write while the service is down.
    service.setFaults([]);
    // A kept value can be an hour old at the end of the week.
    if (!outage && choice % 5 === 0 && at < 166) await changeManually(service, choice);
    const throttling = isIn(at, throttled)
      ? [{ kind: 'status', status: 429, reset: 20, nth: 2, times: 3 } as const]
      : [];
    service.setFaults(outage ? [...outage.faults] : throttling);
    const text = isIn(at, broken)
      ? 'attune: 1\norganization: acme\nworkspaces: {network: {auto-aply: true}}\n'
      : configuration({ revision: Math.floor(at / 12), isCleaning: isIn(at, cleaning) });
    if (isIn(at, deleted)) await rm(file, { force: true });
    else if (text !== written || at >= deleted.to) await writeFile(file, text);
    written = text;
    return !outage && !isIn(at, broken) && !isIn(at, deleted);
  };

  let canSucceed = await prepare(0);
  const { code } = await simulateWatch({
    cwd,
    argv: ['--address', service.url, '--heal', 'update', '--interval', '30m', '--max-age', '1h'],
    random: () => ((choice * 7919) % 1000) / 1000,
    between: async ({ lines, time, status, metrics, stop, cycle }) => {
      for (const { method, path } of service.requests)
        if (/^DELETE \/(workspaces\/[\w-]+|team-projects\/[\w-]+)$|safe-delete/.test(`${method} ${path}`))
          deletions.push(`${method} ${path}`);
      service.clearRequests();
      const ended = lines.find(({ event }) => event === 'cycle-finished');
      expect([cycle, time / hour, ended?.result]).toEqual([
        cycle,
        time / hour,
        canSucceed ? 'success' : 'failed',
      ]);
      failures = canSucceed ? 0 : failures + 1;
      if (canSucceed) succeeded += 1;
      else failed += 1;
      expect(await status('/readyz')).toBe(failures < 3 ? 200 : 503);
      expect(await status('/healthz')).toBe(200);
      const next = (time + Number(ended?.next) * 1000) / hour;
      if (next < 168) {
        canSucceed = await prepare(next);
        return;
      }
      const samples = await metrics();
      const of = (name: string, labels: string) => samples.get(`${name}{${labels}}`);
      expect(of('attune_cycles_total', 'organization="acme",result="success"')).toBe(succeeded);
      expect(of('attune_cycles_total', 'organization="acme",result="failed"')).toBe(failed);
      expect(of('attune_apply_changes_total', 'organization="acme",result="failed"')).toBe(0);
      expect(of('attune_apply_changes_total', 'organization="acme",result="done"')).toBeGreaterThan(50);
      expect(
        of('attune_service_requests_total', 'method="GET",organization="acme",status="503"'),
      ).toBeGreaterThan(0);
      expect(
        of('attune_service_requests_total', 'method="GET",organization="acme",status="429"'),
      ).toBeGreaterThan(0);
      expect(of('attune_oldest_read_age_seconds', 'organization="acme"')).toBeLessThan(3600 + 40 * 60);
      expect(samples.get('attune_cycle_duration_seconds_count')).toBe(succeeded + failed);
      stop();
    },
  });
  expect(code).toBe(0);
  expect(deletions).toEqual([]);
  expect(failed).toBeGreaterThan(20);
  service.setFaults([]);
  // Kept values are at most one hour old: a run without them finds the same.
  const plan = await attune(['plan', '--address', service.url], { cwd, env: { ATTUNE_TOKEN: 'any' } });
  expect(plan.stdout).toContain('No changes. The live state matches the configuration');
});
