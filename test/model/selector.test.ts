import { expect, test } from 'vitest';
import { addressPatterns } from '../../src/model/declared-selector.ts';
import { guardSelects, matchesAddress, matchesSelector, type Selector } from '../../src/model/selector.ts';
import { configured } from '../desired/load-files.ts';
import { rowsIn } from '../support/rows.ts';

const workspace = {
  name: 'a-Prod',
  attributes: {
    project: 'prj-1',
    tags: ['Critical', 'web'],
    'tag-bindings': { Env: 'Prod', standalone: null },
    'inherited-tag-bindings': { Team: 'SRE' },
  },
};

test.each<[string, Selector]>([
  ['a name', { name: 'A-PROD' }],
  ['a pattern', { name: ['other', '*-PROD'] }],
  ['tags', { tag: ['critical', 'WEB'] }],
  ['key/value tags', { tagged: { env: 'PROD', STANDALONE: null } }],
  ['inherited key/value tags', { tagged: { team: 'sre' } }],
])('a guard selects a workspace by %s without letter case, and another selector does not', (_, selector) => {
  expect(guardSelects(selector, workspace)).toBe(true);
  expect(matchesSelector(selector, workspace, 'iac')).toBe(false);
});

test('a guard leaves out only what `except` names in its letter case', () => {
  expect(guardSelects({ name: '*', except: '*-prod' }, workspace)).toBe(true);
  expect(guardSelects({ name: '*', except: '*-Prod' }, workspace)).toBe(false);
});

test('a guard does not select a workspace of which one key differs', () => {
  for (const selector of [
    { name: '*-prod', tag: 'other' },
    { name: '*-prod', project: 'prj-2' },
    { tag: ['critical', 'other'] },
    { tagged: { env: 'prod', team: 'web' } },
    { tagged: { standalone: 'null' } },
    { name: 'prod' },
  ] satisfies Selector[])
    expect(guardSelects(selector, workspace)).toBe(false);
  expect(guardSelects({ project: 'prj-1' }, workspace)).toBe(true);
  expect(guardSelects({ tag: 'x' }, { name: 'a', attributes: {} })).toBe(false);
});

test.each([
  ['workspace.app-?', 'workspace.app-1', true],
  ['workspace.app-?', 'workspace.app-10', false],
  ['workspace.app-??', 'workspace.app-10', true],
  ['*?', '', false],
  ['*', '', true],
  ['*-?*', 'workspace.app-1', true],
  ['workspace.*-prod', 'workspace.a-prod-prod', true],
  ['workspace.*-prod', 'workspace.a-prod-x', false],
  ['a.b', 'axb', false],
] as const)('--only %s and the address "%s" match: %s', (pattern, address, matches) => {
  expect(matchesAddress(pattern, address)).toBe(matches);
});

test.each(rowsIn<[string, string[]]>`
- ['workspace.a*', ['workspace.a*']]
- ['tag:canary', [workspace.app-1, workspace.app-2]]
- ['tag:CANARY,project:payments', [workspace.app-1]]
- ['project:payments', [workspace.app-1, workspace.web, 'team-access.payments/*']]
- ['project:Shop Project', [workspace.app-2, 'team-access.shop/*']]
- ['project:prj-payments,except:web', [workspace.app-1]]
- ['name:app-*', ['workspace.app-*']]
- ['tagged:env=prod', [workspace.web]]
- ['except:app-*', [workspace.web, workspace.none]]
- ['tagged:env=dev', ['tagged:env=dev']]
- ['tag:none', ['tag:none']]
`)('--only %s selects %j by declared values', async (pattern, addresses) => {
  const configuration = await configured(`
projects: {payments: prj-payments, shop: {name: Shop Project}}
teams: {sre: team-sre}
defaults: {workspace: {tags: [managed]}}
workspaces:
  app-1: {tags: [canary], project: payments}
  app-2: {tags: [canary], project: shop}
  web: {project: payments, tag-bindings: {env: prod}}
  none: {}
team-access: {payments: {sre: read}, shop: {sre: read}}
`);
  expect(addressPatterns([pattern], configuration)).toEqual(addresses);
});
