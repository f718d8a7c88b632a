import { expect, test } from 'vitest';
import type { Configuration } from '../../src/desired/configuration.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import type { Resource } from '../../src/model/state.ts';
import { comparedWithBase, withSavedBase, withSavedCauses } from '../../src/plan/compared-with-base.ts';
import { configured } from '../desired/load-files.ts';
import { emptyPlan } from '../support/empty-plan.ts';

const files = `
projects: {pay: {id: prj-1, name: Payments, manage: true}}
workspaces: {app: {description: new}, new: {renamed-from: old}, gone: {state: absent}}
team-access: {prj-1: {team-1: read}}
`;
const baseFiles = `
projects: {shop: {id: prj-1, name: Shop, manage: true}}
workspaces: {app: {description: old}, old: {description: x}, gone: {state: absent}}
team-access: {prj-1: {team-1: write}}
`;
const addresses = [
  'project.pay',
  'workspace.app',
  'workspace.new',
  'workspace.gone',
  'team-access.prj-1/team-1',
];

async function recorded(base: Partial<NonNullable<Configuration['base']>>) {
  const configuration = await configured(files);
  const changes = addresses.map((address) => ({ address })) as never;
  const compared = {
    live: { state: { resources: new Map() } },
    difference: { changes },
    chosen: () => false,
  } as never;
  return comparedWithBase({ ...configuration, base: { ref: 'main', ...base } }, compared);
}

test('a plan records its base, with what it declares of the changes only for --only-changed', async () => {
  const declared = await configured(baseFiles);
  expect(await recorded({})).toStrictEqual({ base: { ref: 'main' } });
  expect(await recorded({ declared, commit: 'c0ffee' })).toStrictEqual({
    base: { ref: 'main', commit: 'c0ffee' },
    noLongerDeclared: [],
  });
  const { base } = await recorded({ declared, onlyChanged: true });
  expect(Object.keys(base ?? {})).toEqual(['ref', 'onlyChanged', 'declares']);
  expect(base?.declares).toStrictEqual({
    'project.pay': { address: 'project.shop', attributes: { name: 'Shop' } },
    'workspace.app': { attributes: { description: 'old' } },
    'workspace.new': { address: 'workspace.old', attributes: { description: 'x' } },
    'workspace.gone': { attributes: {}, absent: 'safe' },
    'team-access.prj-1/team-1': { attributes: { access: 'write', project: 'prj-1', team: 'team-1' } },
  });
});

test('a saved base declares the resources of the files again, and prunes nothing', async () => {
  const configuration = await configured(files);
  const declared = await configured(baseFiles);
  const { base } = await recorded({ declared, onlyChanged: true });
  if (base === undefined) throw new Error('no base');
  const edited = { ...base.declares, 'workspace.unknown': { attributes: {} } };
  const again = withSavedBase(configuration, { base: { ...base, declares: edited } }).base;
  expect(again).toMatchObject({ ref: 'main', onlyChanged: true });
  expect(again).not.toHaveProperty('declares');
  expect(again?.declared?.prune).toEqual({ workspaces: 'keep', teamAccess: false });
  const found = [...(again?.declared?.desired.resources.values() ?? [])].map((one: Resource) => [
    one.address,
    one.id,
    one.declared,
    one.attributes,
  ]);
  expect(found).toEqual([
    ['project.shop', 'prj-1', undefined, { name: 'Shop' }],
    ['workspace.app', undefined, undefined, { description: 'old' }],
    ['workspace.old', undefined, undefined, { description: 'x' }],
    ['workspace.gone', undefined, { absent: 'safe' }, {}],
    ['team-access.prj-1/team-1', undefined, undefined, { access: 'write', project: 'prj-1', team: 'team-1' }],
  ]);
  expect(withSavedBase(configuration, {})).toBe(configuration);
  expect(withSavedBase(configuration, { base: { ref: 'main' } })).toBe(configuration);
});

test('a plan that is made again shows the causes and the declarations of the saved plan', () => {
  const change = (address: string, cause?: 'drift' | 'change') =>
    ({
      address,
      ...(cause && { cause }),
      fields: [{ path: 'tags', before: null, after: [], ...(cause && { cause }) }],
    }) as unknown as PlannedChange;
  const dropped = [{ address: 'workspace.old' }];
  const saved: Plan = { ...emptyPlan, base: { ref: 'main' }, changes: [change('workspace.app', 'drift')] };
  const again: Plan = {
    ...emptyPlan,
    changes: [change('workspace.app', 'change'), change('workspace.other', 'change')],
  };
  const changes = [change('workspace.app', 'drift'), change('workspace.other')];
  expect(withSavedCauses(again, saved)).toStrictEqual({ ...again, base: { ref: 'main' }, changes });
  const { base: _base, ...without } = saved;
  expect(withSavedCauses(again, without)).toBe(again);
  expect(withSavedCauses(again, { ...saved, noLongerDeclared: dropped }).noLongerDeclared).toBe(dropped);
});
