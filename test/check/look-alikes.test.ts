import { expect, test } from 'vitest';
import { lookAlikeOf } from '../../src/check/look-alikes.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Values } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';

const sets = {
  repository: { 'vcs-repo.identifier': 'acme/shop', 'working-directory': 'infra' },
  none: {},
};
type Given = readonly [name: string, set: keyof typeof sets, more?: Values];
const made = ([name, set, more = {}]: Given): WorkspaceResource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  attributes: { ...sets[set], ...more },
});

test.each(rowsIn<[string, Given, Given, boolean]>`
- ['the same repository and working directory', [shop, repository], [web, repository], true]
- ['the same repository and the default working directory', [shop, repository, {working-directory: null}], [web, repository, {working-directory: ''}], true]
- ['no declared project, which is the default project', [shop, repository], [web, repository, {project: prj-default}], true]
- ['a similar name', [billing, none], [biling, none], true]
- ['a name of which a third differs', [network-prod, none], [net-prod, none], true]
- ['a name of which more than a third differs', [net-prod, none], [net-dev, none], false]
- ['a similar name in the same project', [billing, none, {project: prj-1}], [biling, none, {project: prj-1}], true]
- ['a similar name and other values', [billing, none, {description: Bills}], [biling, none, {description: Invoices}], true]
- ['another repository', [shop, repository], [shops, repository, {vcs-repo.identifier: acme/web}], false]
- ['another working directory', [shop, repository], [shops, repository, {working-directory: other}], false]
- ['another project', [shop, repository, {project: prj-1}], [web, repository, {project: prj-2}], false]
- ['another name', [billing, none], [invoices, none], false]
- ['a name that differs in its environment', [payments-prod, none], [payments-dev, none], false]
- ['a name that spells its environment otherwise', [payments-prod, none], [payments-prd, none], true]
- ['a name that differs only in its number', [web-1, none], [web-12, none], false]
`)('whether a created workspace looks like a live one with %s', (_, created, live, isAlike) => {
  expect(lookAlikeOf(made(created), [made(live)])?.name).toBe(isAlike ? live[0] : undefined);
});

test('a created workspace beside several that look like it is one of a series', () => {
  const alike = (...names: string[]) =>
    lookAlikeOf(
      made(['shop-prod', 'repository']),
      names.map((name) => made([name, 'repository'])),
    )?.name;
  expect(alike('shop', 'shop-prd')).toBeUndefined();
  expect(alike('web')).toBe('web');
});

test('no workspace that is created in an organization of 1,000 looks like a renamed one', () => {
  const words = (text: string) => text.split(' ');
  const teams = words('payments shop search billing identity ledger media maps fraud growth');
  const parts = words('network cluster database cache queue storage gateway dns certificates monitoring');
  const places = words('dev test stage prod').flatMap((stage) =>
    [1, 2, 3, 4].map((one) => `${stage}-${one}`),
  );
  const names = teams.flatMap((team) =>
    parts.flatMap((part) => places.map((place) => [team, `${team}-${part}-${place}`])),
  );
  // Spread over all of them, always in the same way.
  const order = names.map((_, index) => (index * 617) % names.length);
  const all = order.map((index) => {
    const [project = '', name = ''] = names[index] ?? [];
    return made([name, 'none', { project }]);
  });
  const [live, created] = [all.slice(0, 1000), all.slice(1000, 1200)];
  const alike = created.flatMap((one) => lookAlikeOf(one, live) ?? []);
  expect(alike.map(({ name }) => name)).toEqual([]);
});
