import { expect, test } from 'vitest';
import { lookAlikeOf, lookAlikes } from '../../src/check/look-alikes.ts';
import type { WorkspaceChange } from '../../src/model/change.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Values } from '../../src/model/value.ts';
import { findings } from './findings.ts';

const workspace = (name: string, attributes: Values): WorkspaceResource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  attributes,
});

const repository = { 'vcs-repo.identifier': 'acme/shop', 'working-directory': 'infra' };
const three = { 'auto-apply': true, description: 'Bills', 'iac-version': '1.9.0' };
const { description: _description, ...two } = three;

/** The name of the live workspace that a created one looks like. */
const alike = (created: WorkspaceResource, ...lives: readonly WorkspaceResource[]) =>
  lookAlikeOf(created, lives)?.name;

test.each<[string, WorkspaceResource, WorkspaceResource]>([
  ['the same repository and working directory', workspace('shop', repository), workspace('web', repository)],
  [
    'the same repository and the default working directory',
    workspace('shop', { 'vcs-repo.identifier': 'acme/shop' }),
    workspace('web', { 'vcs-repo.identifier': 'acme/shop', 'working-directory': '' }),
  ],
  [
    'no declared project, which is the default project',
    workspace('shop', repository),
    workspace('web', { ...repository, project: 'prj-default' }),
  ],
  ['a similar name and the same three values', workspace('billing', three), workspace('biling', three)],
  [
    'the same project and no other project',
    workspace('billing', { ...three, project: 'prj-1' }),
    workspace('biling', { ...three, project: 'prj-1' }),
  ],
  [
    'other consumers, which a new workspace has not',
    workspace('billing', { ...three, 'remote-state-consumers': [] }),
    workspace('biling', { ...three, 'remote-state-consumers': ['ws-web'] }),
  ],
])('a created workspace looks like a live one with %s', (_, created, live) => {
  expect(alike(created, live)).toBe(live.name);
});

test.each<[string, WorkspaceResource, WorkspaceResource]>([
  [
    'another repository',
    workspace('shop', repository),
    workspace('web', { ...repository, 'vcs-repo.identifier': 'acme/web' }),
  ],
  [
    'another working directory',
    workspace('shop', repository),
    workspace('web', { ...repository, 'working-directory': 'other' }),
  ],
  ['no repository', workspace('shop', { 'working-directory': 'infra' }), workspace('web', repository)],
  [
    'another project',
    workspace('shop', { ...repository, project: 'prj-1' }),
    workspace('web', { ...repository, project: 'prj-2' }),
  ],
  ['another name', workspace('billing', three), workspace('invoices', three)],
  ['another value', workspace('billing', three), workspace('biling', { ...three, description: 'Invoices' })],
  ['two values only', workspace('billing', two), workspace('biling', two)],
  [
    'two values besides the project and the consumers',
    workspace('billing', { ...two, project: 'prj-1', 'remote-state-consumers': [] }),
    workspace('biling', { ...two, project: 'prj-1', 'remote-state-consumers': [] }),
  ],
])('a created workspace does not look like a live one with %s', (_, created, live) => {
  expect(alike(created, live)).toBeUndefined();
});

test('of several similar workspaces the one with the nearest name is chosen, if one is near', () => {
  const created = workspace('shop-prod', repository);
  const [near, far, other] = ['shop-prd', 'shop', 'web'].map((name) => workspace(name, repository));
  if (!near || !far || !other) throw new Error('there are three workspaces');
  expect(alike(created, other, far, near)).toBe('shop-prd');
  expect(alike(created, workspace('invoices', repository), other)).toBeUndefined();
});

function change(
  action: WorkspaceChange['action'],
  name: string,
  rest: Partial<WorkspaceChange> = {},
): WorkspaceChange {
  const resource = workspace(name, repository);
  return {
    address: resource.address,
    kind: 'workspace',
    name,
    action,
    fields: [],
    ...(action !== 'create' && { live: resource }),
    ...(action !== 'delete' && { target: resource }),
    ...rest,
  };
}

const renames = (changes: readonly WorkspaceChange[]) => findings(lookAlikes, { difference: { changes } });

test('a workspace that is created while a similar one is deleted gets a note with its line', async () => {
  const location = { file: 'attune.yaml', line: 4, column: 3 };
  expect(await renames([change('create', 'shop', { location }), change('delete', 'web')])).toEqual([
    {
      severity: 'note',
      code: 'looks-renamed',
      message: 'workspace.shop is created and workspace.web is deleted, and the two look alike',
      address: 'workspace.shop',
      location,
      hint: 'to rename it and keep its state, add `renamed-from: web` and remove any tombstone of "web"',
    },
  ]);
  expect((await renames([change('create', 'shop'), change('delete', 'web')]))[0]).not.toHaveProperty(
    'location',
  );
});

test('an updated workspace is neither the new nor the former one', async () => {
  expect(await renames([change('create', 'shop'), change('update', 'web')])).toEqual([]);
  expect(await renames([change('update', 'shop'), change('delete', 'web')])).toEqual([]);
  expect(await renames([change('create', 'shop'), change('create', 'web')])).toEqual([]);
});
