import { expect, test } from 'vitest';
import { guardSelects, matchesSelector, type Selector } from '../../src/model/selector.ts';

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
