import { expect, test } from 'vitest';
import { openNames } from '../../src/resolve/needed-names.ts';
import { configured } from '../desired/load-files.ts';

test('names of the service and undeclared consumers are open, with the nearest declared name', async () => {
  const configuration = await configured(`
teams: {developers: team-1, operations: {name: Ops}}
workspaces:
  web:
    project: Shop
    remote-state-consumers: [ap, api, old, ws-1, {tag: all}]
  api: {renamed-from: old}
team-access:
  Shop: {develpers: write, operations: read, operatons: read}
`);
  const names = openNames(configuration, [configuration]).map(({ noun, name, location, near }) =>
    [noun, name, location?.line, near].join(' '),
  );
  expect(names).toEqual([
    'team Ops 3 ',
    'project Shop 6 ',
    'team develpers 10 developers',
    'team operatons 10 operations',
    'workspace ap 7 api',
  ]);
});

test('open names are compared with those of the organization, and not with themselves', async () => {
  const own = await configured(
    'projects: {platform: {name: Platfrm}, platfrm-2: prj-3}\nworkspaces: {web: {project: platform, remote-state-consumers: [api]}}\nteam-access: {shops: {}}\n',
  );
  const other = await configured('projects: {shops: prj-1, shop: prj-2}\nworkspaces: {api: {}}\n');
  const nearIn = (...all: (typeof own)[]) => openNames(own, all).map((one) => [one.name, one.near].join(' '));
  expect(nearIn(own, other)).toEqual(['Platfrm ', 'shops shop']);
  const elsewhere = { ...other, desired: { ...other.desired, organization: 'other' } };
  expect(nearIn(own, elsewhere)).toEqual(['Platfrm ', 'shops ', 'api ']);
});
