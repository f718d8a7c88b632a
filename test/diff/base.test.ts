import { expect, test } from 'vitest';
import { comparedWithBase, declaredByBase, sameDeclaration } from '../../src/diff/base.ts';
import { diff } from '../../src/diff/diff.ts';
import type { Base, BaseDeclarations } from '../../src/model/configuration.ts';
import type { Resource } from '../../src/model/state.ts';
import type { Value } from '../../src/model/value.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';

const workspace = (name: string): Resource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  attributes: {},
});
const state = (...resources: Resource[]) => ({
  organization: 'acme',
  resources: new Map(resources.map((resource) => [resource.address, resource])),
});
const declarations = (
  names: readonly string[],
  { prune = 'keep' }: { readonly prune?: 'keep' | 'safe' } = {},
): BaseDeclarations => ({
  desired: state(...names.map(workspace)),
  prune: { workspaces: prune, teamAccess: false },
  scope: { names: ['*'], tags: [], adopt: [], enforce: true },
  grantProjects: new Map(),
});

test('a list or a mapping is declared alike in any order, and not if only one declares it', () => {
  const same = (path: string, a: unknown, b: unknown) =>
    sameDeclaration(path, a as Value | undefined, b as Value | undefined);
  expect(same('tags', ['a', 'b'], ['b', 'a'])).toBe(true);
  expect(same('tags', { add: ['a', 'b'], remove: ['c', 'd'] }, { add: ['b', 'a'], remove: ['d', 'c'] })).toBe(
    true,
  );
  expect(same('tags', { add: ['a'], remove: [] }, { add: ['b'], remove: [] })).toBe(false);
  expect(same('tags', undefined, ['a'])).toBe(false);
  expect(same('tags', ['a'], undefined)).toBe(false);
  const consumers = 'remote-state-consumers';
  expect(same(consumers, { exactly: ['a', 'b'], except: ['b'] }, { exactly: ['a'] })).toBe(true);
  const [one, other] = [
    { tag: 'prod', project: 'prj-1' },
    { project: 'prj-1', tag: 'prod' },
  ];
  expect(same(consumers, { exactly: [one, 'a'] }, { exactly: ['a', other] })).toBe(true);
  expect(same(consumers, { exactly: [one, 'a'], except: ['b'] }, { exactly: [one, 'a'] })).toBe(false);
  expect(
    same(consumers, { exactly: [one], except: ['c', 'b'] }, { exactly: [one], except: ['b', 'c'] }),
  ).toBe(true);
  const bindings = (remove: readonly string[]) => ({ add: { a: 'x', b: 'y' }, remove });
  expect(same('tag-bindings', bindings(['c', 'd']), bindings(['d', 'c']))).toBe(true);
  expect(same('tag-bindings', bindings(['c']), bindings(['d']))).toBe(false);
  expect(same('tag-bindings', { exactly: { a: 'x' } }, { exactly: { a: 'x' } })).toBe(true);
  expect(same('tag-bindings', { exactly: { a: 'x' } }, { exactly: { a: 'y' } })).toBe(false);
  expect(same('tag-bindings', { exactly: { a: 'x' } }, { add: { a: 'x' }, remove: [] })).toBe(false);
  expect(same(consumers, { exactly: ['a', { tag: 'x' }], except: [{ tag: 'x' }] }, { exactly: ['a'] })).toBe(
    false,
  );
});

test('a base prunes what none of its root files declares and one of them prunes, and never a project', () => {
  const { prunes } = declaredByBase({
    ...declarations(['app', 'web']),
    roots: [declarations(['app']), declarations(['web'], { prune: 'safe' })],
  });
  expect(['app', 'web', 'old'].map((name) => prunes(workspace(name), 'iac'))).toEqual([false, false, true]);
  const project: Resource = { kind: 'project', address: 'project.p', name: 'p', id: 'prj-1', attributes: {} };
  expect(prunes(project, 'terraform')).toBe(false);
});

test('a plan records its base, and what it stops declaring if the base was loaded', async () => {
  const configuration = await configured('workspaces: {app: {}}\n');
  const difference = diff(configuration, emptyLive);
  const recorded = (base: Partial<Base>) =>
    comparedWithBase(
      { ...configuration, base: { ref: 'main', ...base } },
      { live: emptyLive, difference, chosen: () => true },
    );
  expect(recorded({})).toEqual({ base: { ref: 'main' } });
  expect(recorded({ declared: configuration, commit: 'c0ffee', onlyChanged: true })).toEqual({
    base: { ref: 'main', commit: 'c0ffee', onlyChanged: true },
    noLongerDeclared: [],
  });
});
