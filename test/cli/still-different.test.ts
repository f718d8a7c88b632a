import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/emulator/faults.ts';
import { worldWith } from '../support/attune.ts';

const seed = {
  organization: 'acme',
  projects: { One: 'prj-1' },
  teams: { devs: 'team-1' },
  'ssh-keys': { deploy: 'sshkey-1' },
  workspaces: {
    app: { id: 'ws-app', project: 'prj-1', tags: ['old'] },
    base: { project: 'prj-1', id: 'ws-base' },
  },
  'team-access': { 'prj-1': { devs: 'read' } },
};
const yamlWith = (app: string, rest = '') =>
  `attune: 1\norganization: acme\nprojects: {one: prj-1}\nworkspaces: {app: ${app}, base: {}}\n${rest}`;
const ignoring = (method: string, path: string): Fault => ({ kind: 'status', status: 204, method, path });

const warned = (path: string, name = 'app') =>
  `warning[still-different]: ${path} of "${name}" was sent by the last apply and is still different: the answer of the service did not show whether it took the value`;

test.each([
  ['description', '{description: words}', ignoring('PATCH', '/workspaces/ws-app')],
  ['ssh-key', '{ssh-key: sshkey-1}', ignoring('PATCH', '*/relationships/ssh-key')],
  ['tags', '{tags: [new]}', ignoring('POST', '*/relationships/tags')],
  ['tags', '{tags: {exactly: []}}', ignoring('DELETE', '*/relationships/tags')],
  [
    'remote-state-consumers',
    '{remote-state-consumers: [base]}',
    ignoring('PATCH', '*/remote-state-consumers'),
  ],
  [
    'remote-state-consumers',
    '{remote-state-consumers: {add: [base]}}',
    ignoring('POST', '*/remote-state-consumers'),
  ],
  ['lock', '{lock: true}', ignoring('POST', '*/actions/lock')],
])('plan, drift and apply warn of %s that the service ignored behind a 204: %s', async (path, app, fault) => {
  const world = await worldWith(yamlWith(app), { seed, faults: [fault] });
  const first = await world.attune('apply', '--yes');
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).not.toContain('still-different');
  for (const command of [['plan'], ['drift'], ['apply', '--yes'], ['plan']]) {
    const { stderr } = await world.attune(...command);
    expect(stderr, command[0]).toContain(warned(path));
  }
});

const bindings = { ...seed, projects: { One: { id: 'prj-1', 'tag-bindings': { old: 'x' } } } };

test.each([
  ['tag-bindings', 'app', '{tag-bindings: {add: {cost: "1"}}}', '', ignoring('PATCH', '*/tag-bindings')],
  [
    'access',
    'one/devs',
    '{}',
    'team-access: {one: {devs: admin}}\nteams: {devs: team-1}\n',
    ignoring('PATCH', '/team-projects/*'),
  ],
  ['description', 'one', '{}', 'managed', ignoring('PATCH', '/projects/*')],
])('plan warns of %s of %s that the service ignored behind a 204', async (path, name, app, rest, fault) => {
  const yaml =
    rest === 'managed'
      ? yamlWith(app).replace('{one: prj-1}', '{one: {id: prj-1, manage: true, description: words}}')
      : yamlWith(app, rest);
  const world = await worldWith(yaml, { seed: bindings, dialect: 'terraform', faults: [fault] });
  expect(await world.attune('apply', '--yes')).toMatchObject({ code: 0 });
  expect((await world.attune('plan')).stderr).toContain(warned(path, name));
});

const before = `{description: '', tags: {exactly: [old]}, ssh-key: null, lock: false}`;
const after = '{description: words, tags: {exactly: [new]}, ssh-key: sshkey-1, lock: true}';
const access = (level: string) => `team-access: {one: {devs: ${level}}}\nteams: {devs: team-1}\n`;

test('plan does not warn of values that another user changed back after an answer that showed them', async () => {
  const world = await worldWith(
    { 'attune.yaml': yamlWith(after, access('admin')), 'other.yaml': yamlWith(before, access('read')) },
    { seed },
  );
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  expect((await world.attune('apply', 'other.yaml', '--yes', '--no-journal')).code).toBe(0);
  const { stdout, stderr } = await world.attune('plan');
  expect(stdout).toMatch(/2 to update/);
  for (const path of ['description', 'ssh-key', 'lock', 'access']) expect(stderr).not.toContain(`${path} of`);
});

const ignored = ignoring('PATCH', '/workspaces/ws-app');

test('plan does not warn of a value that was not sent before', async () => {
  const world = await worldWith(yamlWith('{description: words}'), { seed, faults: [ignored] });
  await world.attune('apply', '--yes');
  await writeFile(join(world.folder, 'attune.yaml'), yamlWith('{description: other words}'));
  expect((await world.attune('plan')).stderr).not.toContain('still-different');
});

test.each([
  ['is not valid', (text: string) => text.replace('"record":"change"', '"record":"none"')],
  ['is of another service', (text: string) => text.replace('http://', 'http://other.')],
  ['is of another workspace of that name', (text: string) => text.replaceAll('ws-app', 'ws-gone')],
  ['does not show that the call was answered', (text: string) => text.replace(/\{"record":"outcome".*/, '')],
])('plan prints no warning and no error if the newest journal %s', async (_what, edit) => {
  const world = await worldWith(yamlWith('{description: words}'), { seed, faults: [ignored] });
  await world.attune('apply', '--yes');
  const folder = join(world.folder, '.attune', 'journal');
  const [name = ''] = await readdir(folder);
  const text = await readFile(join(folder, name), 'utf8');
  await writeFile(join(folder, name), edit(text));
  expect(edit(text)).not.toBe(text);
  const { code, stderr } = await world.attune('plan');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the warning of a value that the service ignored is in the JSON, SARIF and JUnit reports, and costs no request', async () => {
  const world = await worldWith(yamlWith('{description: words}'), { seed, faults: [ignored] });
  await world.attune('plan');
  const requests = world.requests();
  await world.attune('apply', '--yes');
  const planned = await world.attune(
    'plan',
    '--report',
    'a.json',
    '--report',
    'a.sarif',
    '--report',
    'a.junit.xml',
  );
  expect(world.requests().sort()).toEqual(requests.sort());
  expect(planned.code).toBe(0);
  for (const file of ['a.json', 'a.sarif', 'a.junit.xml'])
    expect(await readFile(join(world.folder, file), 'utf8'), file).toContain('was sent by the last apply');
});
