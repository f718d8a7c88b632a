import { expect, test } from 'vitest';
import { lookAlikeOf, lookAlikes } from '../../src/check/look-alikes.ts';
import type { WorkspaceChange } from '../../src/model/change.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Values } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';
import { findings } from './findings.ts';

const workspace = (name: string, attributes: Values): WorkspaceResource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  attributes,
});
const sets = {
  repository: { 'vcs-repo.identifier': 'acme/shop', 'working-directory': 'infra' },
  two: { 'auto-apply': true, 'iac-version': '1.9.0' },
  three: { 'auto-apply': true, 'iac-version': '1.9.0', description: 'Bills' },
};
type Given = readonly [name: string, set: keyof typeof sets, more?: Values];
const made = ([name, set, more = {}]: Given) => workspace(name, { ...sets[set], ...more });

test.each(rowsIn<[string, Given, Given, boolean]>`
- ['the same repository and working directory', [shop, repository], [web, repository], true]
- ['the same repository and the default working directory', [shop, repository, {working-directory: null}], [web, repository, {working-directory: ''}], true]
- ['no declared project, which is the default project', [shop, repository], [web, repository, {project: prj-default}], true]
- ['a similar name and the same three values', [billing, three], [biling, three], true]
- ['the same project', [billing, three, {project: prj-1}], [biling, three, {project: prj-1}], true]
- ['other consumers, which a new workspace has not', [billing, three, {remote-state-consumers: []}], [biling, three, {remote-state-consumers: [ws-web]}], true]
- ['another repository', [shop, repository], [web, repository, {vcs-repo.identifier: acme/web}], false]
- ['another working directory', [shop, repository], [web, repository, {working-directory: other}], false]
- ['no repository', [shop, repository, {vcs-repo.identifier: null}], [web, repository], false]
- ['another project', [shop, repository, {project: prj-1}], [web, repository, {project: prj-2}], false]
- ['another name', [billing, three], [invoices, three], false]
- ['another value', [billing, three], [biling, three, {description: Invoices}], false]
- ['two values only', [billing, two], [biling, two], false]
- ['two values besides the project and the consumers', [billing, two, {project: prj-1, remote-state-consumers: []}], [biling, two, {project: prj-1, remote-state-consumers: []}], false]
`)('whether a created workspace looks like a live one with %s', (_, created, live, isAlike) => {
  expect(lookAlikeOf(made(created), [made(live)])?.name).toBe(isAlike ? live[0] : undefined);
});

test('of several similar workspaces the one with the nearest name is chosen, if one is near', () => {
  const alike = (...names: string[]) =>
    lookAlikeOf(
      made(['shop-prod', 'repository']),
      names.map((name) => made([name, 'repository'])),
    )?.name;
  expect(alike('web', 'shop', 'shop-prd')).toBe('shop-prd');
  expect(alike('invoices', 'web')).toBeUndefined();
});

test('a workspace that is created while a similar one is deleted gets a note with its line', async () => {
  const location = { file: 'attune.yaml', line: 4, column: 3 };
  const renames = (...actions: readonly (readonly [WorkspaceChange['action'], string])[]) => {
    const changes = actions.map(([action, name]) => {
      const resource = made([name, 'repository']);
      const sides = {
        ...(action !== 'create' && { live: resource }),
        ...(action !== 'delete' && { target: resource }),
      };
      return { address: resource.address, kind: 'workspace', name, action, fields: [], location, ...sides };
    });
    return findings(lookAlikes, { difference: { changes } });
  };
  expect(await renames(['create', 'shop'], ['delete', 'web'])).toEqual([
    {
      severity: 'note',
      code: 'looks-renamed',
      message: 'workspace.shop is created and workspace.web is deleted, and the two look alike',
      address: 'workspace.shop',
      location,
      hint: 'to rename it and keep its state, add `renamed-from: web` and remove any tombstone of "web"',
    },
  ]);
  expect(await renames(['create', 'shop'], ['update', 'web'])).toEqual([]);
  expect(await renames(['update', 'shop'], ['delete', 'web'])).toEqual([]);
  expect(await renames(['create', 'shop'], ['create', 'web'])).toEqual([]);
});
