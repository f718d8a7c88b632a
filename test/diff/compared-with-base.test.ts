import { expect, test } from 'vitest';
import { comparedWithBase } from '../../src/diff/base/compared-with-base.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { configured } from '../desired/load-files.ts';

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

test('a plan records its base, and what it stops declaring if the base was loaded', async () => {
  const declared = await configured(baseFiles);
  expect(await recorded({})).toStrictEqual({ base: { ref: 'main' } });
  expect(await recorded({ declared, commit: 'c0ffee', onlyChanged: true })).toStrictEqual({
    base: { ref: 'main', commit: 'c0ffee', onlyChanged: true },
    noLongerDeclared: [],
  });
});
