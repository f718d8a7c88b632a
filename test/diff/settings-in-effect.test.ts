import { expect, test } from 'vitest';
import { type Inheritance, startsInheriting, withInherited } from '../../src/diff/settings-in-effect.ts';
import { destroyDuration, inheritedDestroyDuration, modeFlag, poolFlag } from '../../src/model/attributes.ts';
import type { Declared, ProjectResource, WorkspaceResource } from '../../src/model/state.ts';
import type { Values } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';

const workspaceWith = (attributes: Values): WorkspaceResource => ({
  kind: 'workspace',
  address: 'workspace.app',
  name: 'app',
  id: 'ws-app',
  attributes,
});
const projectWith = (id: string, attributes: ProjectResource['attributes']): ProjectResource => ({
  kind: 'project',
  address: `project.${id}`,
  name: id,
  id,
  attributes,
});
const projects = (given: Readonly<Record<string, ProjectResource['attributes']>>) =>
  new Map(Object.entries(given).map(([id, attributes]) => [id, projectWith(id, attributes)]));

/** The attributes of a workspace after the plan. */
function attributesAfter(
  target: Values,
  live: Values | undefined,
  inheritance: Partial<Inheritance>,
  declared?: Declared,
): Values {
  const base = {
    dialect: 'terraform',
    before: new Map(),
    after: new Map(),
    organization: undefined,
    defaultProject: undefined,
    rescheduledElsewhere: new Set<string>(),
  } as const;
  const found = { ...base, ...inheritance };
  return withInherited(workspaceWith(target), live && workspaceWith(live), found, declared).attributes;
}

const inherits = { [modeFlag]: false, [poolFlag]: false };
const live = { project: 'from', 'execution-mode': 'remote', 'agent-pool-id': null, ...inherits };
const moved = { ...live, project: 'to' };
const inheriting = { 'default-execution-mode': null };

test('an inherited execution mode is the same if it stays in a project that was not read', () => {
  expect(attributesAfter(live, live, {})).toEqual(live);
});

test('an inherited execution mode is the same if it moves between projects that inherit from the organization', () => {
  const both = projects({ from: inheriting, to: inheriting });
  expect(attributesAfter(moved, live, { before: both, after: both })).toEqual(moved);
});

test('an inherited execution mode is the same in the iac dialect, in which projects have none', () => {
  expect(attributesAfter(moved, live, { dialect: 'iac' })).toEqual(moved);
});

test('an inherited execution mode is unknown if it moves to a project that was not read', () => {
  expect(attributesAfter(moved, live, { before: projects({ from: inheriting }) })).toEqual({
    project: 'to',
    ...inherits,
  });
});

test('an inherited execution mode is that of an unknown organization if it moves from a project that was not read', () => {
  const { 'agent-pool-id': _, ...known } = moved;
  expect(attributesAfter(moved, live, { after: projects({ to: inheriting }) })).toEqual({
    ...known,
    'execution-mode': null,
  });
});

test('an inherited execution mode is unknown if it moves to a project whose service does not return a mode', () => {
  const both = projects({ from: { 'default-execution-mode': 'local' }, to: {} });
  expect(attributesAfter(moved, live, { before: both, after: both })).toEqual({ project: 'to', ...inherits });
});

const shop = { after: projects({ shop: { [destroyDuration]: '30d' } }) };
const target = { project: 'shop', [destroyDuration]: '30d' };

test('an inherited execution mode is inherited if it was inherited so far', () => {
  const live = { project: 'shop', [destroyDuration]: null, [inheritedDestroyDuration]: '30d' };
  expect(attributesAfter(target, live, shop)).toEqual(live);
  expect(attributesAfter(target, live, shop, { ownsSchedule: true })).toEqual(target);
});

test.each(rowsIn<[string, Values, Values, boolean]>`
- [gets another duration, {auto-destroy-activity-duration: 14d}, {auto-destroy-activity-duration: 30d}, false]
- [gives up its mode beside a pool that it inherits, {setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: false}, {setting-overwrites.execution-mode: false, setting-overwrites.agent-pool: false}, true]
`)('whether a workspace starts to inherit: one that %s', (_, before, now, expected) => {
  expect(startsInheriting(workspaceWith(before), workspaceWith(now))).toBe(expected);
});
