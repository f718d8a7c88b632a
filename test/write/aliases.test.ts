import { expect, test } from 'vitest';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import { createAliases } from '../../src/write/aliases.ts';
import { projectFile } from '../../src/write/lay-out.ts';

const none = { projects: [], teams: [], 'ssh-keys': [], 'agent-pools': [], 'vcs-connections': [] };
const noAliases = new Map<string, string>();
const undeclared = {
  projects: noAliases,
  teams: noAliases,
  'ssh-keys': noAliases,
  'agent-pools': noAliases,
  'vcs-connections': noAliases,
};

function projects(names: Readonly<Record<string, string>>, declared: Readonly<Record<string, string>> = {}) {
  const index = new Map([['projects' as AliasKind, new Map(Object.entries(names))]]);
  return createAliases(none, index, { ...undeclared, projects: new Map(Object.entries(declared)) });
}

test.each([
  ['Payments Platform', 'payments-platform'],
  ['Zürich & Bern', 'zurich-bern'],
  ['  a__b  ', 'a-b'],
  ['../../etc/passwd', 'etc-passwd'],
  ['🚀', 'project-one'],
  ['', 'project-one'],
  ['x'.repeat(100), 'x'.repeat(60)],
  ['null', 'null'],
])('import gives the project %j the alias %s', (name, alias) => {
  expect(projects({ 'prj-one': name }).aliasOf('projects', 'prj-one')).toBe(alias);
});

test('the file of a project has no name that Windows reserves', () => {
  expect(['aux', 'com1', 'con', 'console', 'payments', ''].map(projectFile)).toEqual([
    'workspaces/_aux.yaml',
    'workspaces/_com1.yaml',
    'workspaces/_con.yaml',
    'workspaces/console.yaml',
    'workspaces/payments.yaml',
    'workspaces/_no-project.yaml',
  ]);
});

test('import numbers aliases of equal spelling in the order of the names', () => {
  const aliases = projects({ 'prj-1': 'a b', 'prj-2': 'a.b', 'prj-3': 'A B', 'prj-4': 'a b 2' });
  const ids = ['prj-3', 'prj-1', 'prj-4', 'prj-2'];
  expect(ids.map((id) => aliases.aliasOf('projects', id))).toEqual(['a-b', 'a-b-2', 'a-b-2-2', 'a-b-3']);
});

test('import gives an alias to the name that equals it, whatever other names give the same alias', () => {
  const aliases = projects({ 'prj-1': 'SRE', 'prj-2': 'Sre', 'prj-3': 'sre' });
  const ids = ['prj-1', 'prj-2', 'prj-3'];
  expect(ids.map((id) => aliases.aliasOf('projects', id))).toEqual(['sre-2', 'sre-3', 'sre']);
});

test('import keeps existing aliases of a file', () => {
  const aliases = projects({ 'prj-1': 'Payments', 'prj-2': 'money' }, { money: 'prj-1' });
  expect(['prj-1', 'prj-2'].map((id) => aliases.use('projects', id))).toEqual(['money', 'money-2']);
  expect([...aliases.added('projects')]).toEqual([['money-2', 'prj-2']]);
});

test('import adds only used aliases, and only for ids', () => {
  const aliases = projects({ 'prj-1': 'Payments', 'prj-2': 'Platform', strange: 'Strange' });
  aliases.use('projects', 'prj-2');
  expect([...aliases.added('projects')]).toEqual([['platform', 'prj-2']]);
  expect(aliases.aliasOf('projects', 'strange')).toBeUndefined();
});
