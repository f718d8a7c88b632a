import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const root = (body: string) => `attune: 1\norganization: acme\n${body}`;
const env = { ATTUNE_TOKEN: 'any' };

async function world(body: string) {
  const seed = {
    organization: 'acme',
    workspaces: { app: { 'auto-apply': true }, web: { 'auto-apply': true } },
  };
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': root(body) });
  const writes = () => service.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path);
  const go = (argv: readonly string[], at: string) =>
    attune([...argv, '--address', service.url], { cwd, env, date: () => new Date(at) });
  return { service, cwd, writes, go };
}

const workspaces = 'workspaces: {app: {auto-apply: false}, web: {auto-apply: false}}\n';

test('a clock that differs from that of the service is a warning where a date decides', async () => {
  const freeze = (select: string) =>
    `${workspaces}freeze: [{cron: "0 0 1 1 *", for: 1d, reason: launch, select: ${select}}]`;
  const { cwd, service } = await world(freeze('{name: app}'));
  const warnings = async (minutes: number, command = 'plan') => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: now + minutes * 60_000 });
    const argv = [...command.split(' '), '--address', service.url];
    const { stderr } = await attune(argv, { cwd, env }).finally(() => vi.useRealTimers());
    return stderr;
  };
  onTestFinished(() => void vi.useRealTimers());
  const ahead = `warning[clock-differs]: the clock of this machine is more than 5 minutes ahead of that of the service, and a date decides what is changed
`;
  expect(await warnings(6)).toBe(ahead);
  expect(await warnings(-6, 'plan --detailed-exitcode')).toBe(ahead.replace('ahead of', 'behind'));
  expect(await warnings(4)).toBe('');
  expect(await warnings(6, 'plan --at 2026-11-20T00:00:00Z')).toBe('');
  expect(await warnings(6, 'plan --out plan.json')).toContain(ahead);
  expect(await warnings(6, 'apply --yes --skip-frozen')).toContain(ahead);
  expect(await warnings(6, 'undo --last --yes')).toContain(ahead);
  writeFileSync(join(cwd, 'attune.yaml'), root(freeze('{name: other}')));
  expect(await warnings(6)).not.toContain('clock-differs');
});
