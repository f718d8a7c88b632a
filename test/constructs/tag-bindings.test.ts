import { expect, test } from 'vitest';
import { App } from '../../src/constructs/app.ts';
import { describeOrganization } from '../../src/constructs/describe-organization.ts';
import {
  Organization,
  type OrganizationProps,
  Project,
  Tags,
  Workspace,
} from '../../src/constructs/index.ts';

/** What a program writes for its organization. */
function written(make: (acme: Organization) => void, props?: OrganizationProps) {
  const acme = new Organization(new App(), 'acme', props);
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

test('key/value tags of defaults, templates, tombstones and exceptions keep their keys', () => {
  const layers = {
    defaults: { workspace: { tagBindings: { CostCenter: '1', 'cost-center': '2' } } },
    templates: {
      added: { tagBindings: { add: { CostX: '3' }, remove: ['CostY'] } },
      exact: { tagBindings: { exactly: { CostX: null } } },
      named: { tagBindings: { exactly: 'a', add: 'b' } },
    },
  };
  const exception = { until: '2026-12-15', reason: 'INC-7', address: 'workspace.*' };
  const { defaults, templates, exceptions, workspaces } = written(
    (acme) => new Workspace(acme, 'attic', { state: 'absent', tagBindings: { CostCenter: '1' } }),
    {
      ...layers,
      exceptions: [
        { ...exception, field: 'tag-bindings', value: { CostCenter: '101', 'cost-center': '102' } },
        { ...exception, field: 'data-retention', value: { deleteOlderThanDays: 30 } },
      ],
    },
  );
  expect(defaults).toEqual({ workspace: { 'tag-bindings': { CostCenter: '1', 'cost-center': '2' } } });
  expect(templates).toEqual({
    added: { 'tag-bindings': { add: { CostX: '3' }, remove: ['CostY'] } },
    exact: { 'tag-bindings': { exactly: { CostX: null } } },
    named: { 'tag-bindings': { exactly: 'a', add: 'b' } },
  });
  expect(workspaces).toEqual({ attic: { state: 'absent', 'tag-bindings': { CostCenter: '1' } } });
  expect(exceptions).toEqual([
    { ...exception, field: 'tag-bindings', value: { CostCenter: '101', 'cost-center': '102' } },
    { ...exception, field: 'data-retention', value: { 'delete-older-than-days': 30 } },
  ]);
});

test('props of what has the name of a key for key/value tags are written in the spelling of files', () => {
  const sections = written(
    (acme) => {
      new Workspace(acme, 'tagged', { autoApply: true });
      new Workspace(acme, 'tag-bindings', { autoApply: true });
      new Project(acme, 'value', { manage: true, renamedFrom: 'Stall' });
    },
    {
      templates: { tagged: { autoApply: true } },
      roles: { tagged: { access: 'custom', projectAccess: {} } },
    },
  );
  expect(sections).toMatchObject({
    workspaces: { tagged: { 'auto-apply': true }, 'tag-bindings': { 'auto-apply': true } },
    projects: { value: { manage: true, name: 'value', 'renamed-from': 'Stall' } },
    templates: { tagged: { 'auto-apply': true } },
    roles: { tagged: { access: 'custom', 'project-access': {} } },
  });
});
