import { expect, test } from 'vitest';
import { App } from '../../src/constructs/app.ts';
import { describeOrganization } from '../../src/constructs/describe-organization.ts';
import { Organization, Project, Tags, Workspace } from '../../src/constructs/index.ts';

/** What a program writes for its organization. */
function written(make: (acme: Organization) => void) {
  const acme = new Organization(new App(), 'acme');
  make(acme);
  const { sections, problems } = describeOrganization(acme, []);
  expect(problems).toEqual([]);
  return sections;
}

test('key/value tags of a scope are added to those of its workspaces, an inner scope wins', () => {
  const { workspaces } = written((acme) => {
    const payments = new Project(acme, 'payments', { id: 'prj-1' });
    Tags.of(acme).bind('owner', 'platform').bind('costCenter', '101');
    Tags.of(payments).bind('owner', 'payments').unbind('costCenter');
    new Workspace(acme, 'dns');
    new Workspace(acme, 'plain', { tagBindings: { env: 'prod' } });
    new Workspace(acme, 'none', { tagBindings: {} });
    new Workspace(acme, 'exact', { tagBindings: { exactly: { env: 'prod' } } });
    new Workspace(payments, 'billing', { tagBindings: { add: { env: null }, remove: ['owner'] } });
  });
  expect(
    Object.fromEntries(
      Object.entries(workspaces as Record<string, Record<string, unknown>>).map(([name, workspace]) => [
        name,
        workspace['tag-bindings'],
      ]),
    ),
  ).toEqual({
    dns: { add: { owner: 'platform', costCenter: '101' } },
    plain: { owner: 'platform', costCenter: '101', env: 'prod' },
    none: {},
    exact: { exactly: { env: 'prod' } },
    'payments-billing': { add: { env: null }, remove: ['owner'] },
  });
});

test('a managed project is written with its settings, and selectors keep the keys of tags as they are', () => {
  const { projects, workspaces } = written((acme) => {
    const shop = new Project(acme, 'shop', {
      manage: true,
      name: 'Shop',
      description: 'Everything the shop needs',
      autoDestroyActivityDuration: '14d',
      tagBindings: { costCenter: '101' },
      renamedFrom: 'Stall',
      protect: true,
    });
    new Project(acme, 'platform', { manage: true });
    new Project(acme, 'attic', { manage: true, state: 'absent' });
    new Workspace(shop, 'web', { remoteStateConsumers: [{ tagged: { costCenter: '101' } }] });
  });
  expect(projects).toEqual({
    shop: {
      manage: true,
      name: 'Shop',
      description: 'Everything the shop needs',
      'auto-destroy-activity-duration': '14d',
      'tag-bindings': { costCenter: '101' },
      'renamed-from': 'Stall',
      protect: true,
    },
    platform: { manage: true, name: 'platform' },
    attic: { manage: true, name: 'attic', state: 'absent' },
  });
  expect(workspaces).toMatchObject({
    'shop-web': { project: 'shop', 'remote-state-consumers': [{ tagged: { costCenter: '101' } }] },
  });
});
