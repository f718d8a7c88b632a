import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
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

test('an apply of which everything is held writes nothing and leaves no journal', async () => {
  const exceptions =
    'exceptions: [{address: "workspace.*", field: auto-apply, until: 2026-12-15, reason: INC-7}]';
  const { go, writes, cwd } = await world(workspaces + exceptions);
  const { code, stderr } = await go(['apply'], '2026-11-20T00:00:00Z');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(writes()).toEqual([]);
  expect(existsSync(join(cwd, '.attune'))).toBe(false);
});

test('the journal of an apply records what was held, and why a freeze window was overridden', async () => {
  const rules = `exceptions: [{address: workspace.app, field: auto-apply, until: 2026-12-15, reason: INC-7}]
freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch}]`;
  const { go, writes, cwd } = await world(workspaces + rules);
  const argv = ['apply', '--yes', '--journal', 'run.jsonl', '--override-freeze', 'INC-8'];
  expect((await go(argv, '2026-11-20T00:00:00Z')).code).toBe(0);
  expect(writes()).toHaveLength(1);
  const [run] = readFileSync(join(cwd, 'run.jsonl'), 'utf8')
    .split('\n')
    .map((line) => line && JSON.parse(line));
  expect(run).toMatchObject({
    freezeOverridden: 'INC-8',
    held: [{ address: 'workspace.app', by: 'exception', reason: 'INC-7', fields: ['auto-apply'] }],
  });
});

test('validate warns of access that has ended, and refuses an exception that lasts too long', async () => {
  const cwd = await folderWith({
    'attune.yaml': root(`projects: {p: prj-1}
teams: {t: team-1}
team-access: {p: {t: {access: write, until: 2026-10-31}}}
exceptions: [{address: workspace.app, field: auto-apply, until: 2027-12-15, reason: INC-7}]
`),
  });
  const { code, stdout } = await attune(['validate'], {
    cwd,
    env,
    date: () => new Date('2026-11-20T00:00:00Z'),
  });
  expect(code).toBe(1);
  expect(stdout.match(/^\S+ (error|warning)\[[a-z-]+\]/gm)).toEqual([
    'attune.yaml:5:38: warning[access-ended]',
    'attune.yaml:6:14: error[bad-value]',
  ]);
});

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
  expect(await warnings(6)).toBe('');
});

test('of several root files, one of which everything is held is not incomplete', async () => {
  const service = await serviceWith({ seed: { organization: 'acme', workspaces: { app: {}, web: {} } } });
  const freeze = 'freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch}]';
  const cwd = await folderWith({
    'app.yaml': root(`workspaces: {app: {description: Shop}}\n${freeze}`),
    'web.yaml': root('workspaces: {web: {description: Shop}}'),
  });
  const argv = ['apply', '--yes', '--skip-frozen', '--address', service.url, 'app.yaml', 'web.yaml'];
  const { code, stdout } = await attune(argv, { cwd, env, date: () => new Date('2026-11-20T00:00:00Z') });
  expect({ code, incomplete: stdout.includes('incomplete') }).toEqual({ code: 0, incomplete: false });
});

test('an apply counts a change of which only a part is held', async () => {
  const body = `workspaces: {app: {auto-apply: false, description: Shop}}
exceptions: [{address: workspace.app, field: auto-apply, until: 2026-12-15, reason: INC-7}]`;
  const { go } = await world(body);
  const { stdout } = await go(['apply', '--yes'], '2026-11-20T00:00:00Z');
  expect(stdout).toContain('Plan: 0 to create, 1 to update, 0 to delete, 1 held, 0 unchanged. 1 call.');
  expect(stdout).toContain('Applied: 0 created, 1 updated, 0 deleted, 1 held. 1 call.');
});

test('an exception for the name of a workspace holds only its rename', async () => {
  const body = `workspaces:
  new: {renamed-from: old, auto-apply: false, remote-state-consumers: [user]}
  user: {remote-state-consumers: [new]}
exceptions: [{address: workspace.new, field: name, until: 2026-12-15, reason: INC-7}]`;
  const seed = { organization: 'acme', workspaces: { old: { 'auto-apply': true }, user: {} } };
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': root(body) });
  const go = (...argv: string[]) =>
    attune([...argv, '--address', service.url], { cwd, env, date: () => new Date('2026-11-20T00:00:00Z') });
  expect((await go('plan')).stdout).toContain(
    '! state access gained: workspace.new           by 1 workspace: user  attune.yaml:4',
  );
  expect((await go('apply', '--yes')).code).toBe(0);
  const bodies = service.requests.flatMap(({ method, body }) =>
    method === 'GET' ? [] : [JSON.stringify(body)],
  );
  expect(bodies).toHaveLength(3);
  expect(bodies.join()).not.toContain('"name"');
  const { changes }: Plan = JSON.parse((await go('plan', '--format', 'json')).stdout);
  expect(changes.map(({ name, fields, calls }) => [name, fields.map(({ path }) => path), calls])).toEqual([
    ['new', ['name'], []],
  ]);
});

test('the value of an exception for a repository is compared with all keys that differ', async () => {
  const repository = { identifier: 'acme/live', 'oauth-token-id': 'ot-1', branch: 'dev' };
  const values = {
    all: 'value: {identifier: acme/live, branch: dev}',
    more: 'value: {identifier: acme/live, branch: dev, oauth-token-id: github}',
    one: 'value: {branch: dev}',
    other: 'value: {identifier: acme/live, branch: main}',
    none: 'value: null',
    any: '',
    detached: 'value: null',
    removed: 'value: {identifier: acme/live, branch: dev, oauth-token-id: github}',
  };
  const names = Object.keys(values) as (keyof typeof values)[];
  const declared = '{identifier: acme/app, oauth-token-id: github, branch: main}';
  const body = `vcs-connections: {github: ot-1}
workspaces:
${names.map((name) => `  ${name}: {vcs-repo: ${name === 'removed' ? 'null' : declared}}`).join('\n')}
exceptions:
${names.map((name) => `  - {address: workspace.${name}, field: vcs-repo, until: 2026-12-15, reason: INC-7, ${values[name]}}`).join('\n')}`;
  const workspaces = Object.fromEntries(
    names.map((name) => [name, name === 'detached' ? {} : { 'vcs-repo': repository }]),
  );
  const service = await serviceWith({ seed: { organization: 'acme', workspaces } });
  const cwd = await folderWith({ 'attune.yaml': root(body) });
  const argv = ['plan', '--format', 'json', '--address', service.url];
  const { stdout } = await attune(argv, { cwd, env, date: () => new Date('2026-11-20T00:00:00Z') });
  const { changes, diagnostics }: Plan = JSON.parse(stdout);
  const sent = changes.flatMap(({ name, calls }) => (calls.length > 0 ? name : []));
  expect(sent).toEqual(['none', 'one', 'other']);
  expect(diagnostics.map(({ message }) => message)).toContain(
    'the exception for vcs-repo of workspace.one holds nothing back: vcs-repo of workspace.one is {"branch":"dev","identifier":"acme/live"}, and not {"branch":"dev"}',
  );
});

test('what depends on something that is held names it', async () => {
  const body = `workspaces:
  a: {auto-apply: true}
  new: {renamed-from: old}
  other: {tags: [reader]}
  user: {remote-state-consumers: [{tag: reader}]}
exceptions: [{address: workspace.a, field: auto-apply, until: 2026-12-15, reason: INC-7}]
freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {name: other}}]`;
  const service = await serviceWith({
    seed: { organization: 'acme', workspaces: { a: {}, old: {}, other: {}, user: {} } },
  });
  const cwd = await folderWith({ 'attune.yaml': root(body) });
  const argv = ['plan', '--format', 'json', '--address', service.url];
  const { stdout } = await attune(argv, { cwd, env, date: () => new Date('2026-11-20T00:00:00Z') });
  const { changes }: Plan = JSON.parse(stdout);
  expect(changes.find(({ name }) => name === 'user')?.held).toMatchObject([
    { by: 'freeze', reason: 'depends on workspace.other: launch' },
  ]);
});

test('plan --at --out names the command that shows the plan', async () => {
  const { go } = await world(workspaces);
  const { stderr } = await go(['plan', '--at', '2026-12-01', '--out', 'plan.json'], '2026-11-20T00:00:00Z');
  expect(stderr).toBe('Saved as plan.json: attune show plan.json\n');
});

test('guards.keep-admin does not count a project whose creation a freeze window holds', async () => {
  const body = `service: {dialect: terraform}
projects: {shop: {name: Shop, manage: true}}
teams: {sre: team-sre}
workspaces: {app: {description: Shop}}
team-access: {shop: {sre: admin}}
guards: {keep-admin: [sre]}
freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {project: shop}}]`;
  const service = await serviceWith({
    dialect: 'terraform',
    seed: { organization: 'acme', teams: { sre: 'team-sre' }, workspaces: { app: {} } },
  });
  const cwd = await folderWith({ 'attune.yaml': root(body) });
  const argv = ['apply', '--yes', '--skip-frozen', '--address', service.url];
  const { code, stdout, stderr } = await attune(argv, {
    cwd,
    env,
    date: () => new Date('2026-11-20T00:00:00Z'),
  });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('Applied: 0 created, 1 updated, 0 deleted, 2 held. 1 call.');
});

test('a workspace is created without a consumer whose tags a freeze window holds', async () => {
  const body = `templates: {common: {remote-state-consumers: [{tag: prod}]}}
workspaces:
  gamma: {tags: {exactly: [prod]}}
  epsilon: {extends: common}
freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {name: gamma}}]`;
  const service = await serviceWith({ seed: { organization: 'acme', workspaces: { gamma: {} } } });
  const cwd = await folderWith({ 'attune.yaml': root(body) });
  const argv = ['plan', '--format', 'json', '--address', service.url];
  const { stdout } = await attune(argv, { cwd, env, date: () => new Date('2026-11-20T00:00:00Z') });
  const { changes, summary }: Plan = JSON.parse(stdout);
  expect(changes.find(({ name }) => name === 'epsilon')?.held).toMatchObject([
    { by: 'freeze', reason: 'depends on workspace.gamma: launch', fields: ['remote-state-consumers'] },
  ]);
  expect(summary).toMatchObject({ create: 1, held: 2, calls: 1 });
});

test('a clock that differs from that of the service is a warning for access after the plan', async () => {
  const seed = {
    projects: { Pay: 'prj-pay' },
    teams: { ops: 'team-ops' },
    'team-access': { Pay: { ops: 'write' } },
  } as const;
  const service = await serviceWith({ seed });
  const cwd = await folderWith({
    'attune.yaml': root('team-access: {prj-pay: {team-ops: {access: write, until: 2026-11-30}}}'),
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const codes = async (...flags: string[]) => {
    const argv = ['access', '--address', service.url, '--format', 'json', ...flags];
    const { diagnostics } = JSON.parse((await attune(argv, { cwd, env })).stdout);
    return diagnostics.map(({ code }: { code: string }) => code);
  };
  expect(await codes('--declared')).toEqual(['clock-differs']);
  expect(await codes()).toEqual([]);
});
