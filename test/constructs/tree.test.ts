import { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { Organization, Project, Tags, Team, TeamAccess, Workspace } from '../../src/constructs/index.ts';
import { declared, described, emptyApp } from './programs.ts';

describe('names', () => {
  test('a workspace construct has the ids on the way from the organization as its name', () => {
    const { workspaces } = described((acme) => {
      const stage = new Construct(new Project(acme, 'payments', { id: 'prj-1' }), 'prod');
      new Workspace(stage, 'network');
      new Workspace(stage, 'other', { name: 'billing' });
    });
    expect(Object.keys(workspaces)).toEqual(['billing', 'payments-prod-network']);
  });

  test('project and team constructs have their aliases and look-ups from the ids on the way from the organization', () => {
    const { projects, teams } = described((acme) => {
      const area = new Construct(acme, 'area');
      new Project(area, 'one');
      new Project(area, 'two', { name: 'Second Project' });
      new Project(area, 'three', { id: 'prj-3', alias: 'third' });
      new Team(acme, 'sre', { id: 'team-1' });
    });
    expect(projects).toEqual({
      'area-one': { name: 'area-one' },
      'area-two': { name: 'Second Project' },
      third: 'prj-3',
    });
    expect(teams).toEqual({ sre: 'team-1' });
  });

  test('a project in a list of consumers is resolved to its workspaces', () => {
    const { workspaces } = described((acme) => {
      const payments = new Project(acme, 'payments', { id: 'prj-1' });
      new Workspace(acme, 'exactly', { remoteStateConsumers: [payments] }).allowStateReadBy(payments);
      new Workspace(acme, 'partly', { remoteStateConsumers: { add: [payments], remove: [payments] } });
    });
    const selector = { project: 'payments' };
    expect(workspaces).toMatchObject({
      exactly: { 'remote-state-consumers': [selector, selector] },
      partly: { 'remote-state-consumers': { add: [selector], remove: [selector] } },
    });
  });
});

describe('projects', () => {
  test('a project construct is the project of the workspaces inside of it, and the nearest one is used', () => {
    const { workspaces } = described((acme) => {
      const outer = new Project(acme, 'outer', { id: 'prj-1' });
      const inner = new Project(outer, 'inner', { id: 'prj-2' });
      new Workspace(outer, 'a');
      new Workspace(inner, 'b');
      new Workspace(inner, 'c', { project: outer });
      new Workspace(inner, 'd', { project: { name: 'By Name' } });
      new Workspace(acme, 'e');
      new Workspace(inner, 'gone', { state: 'absent' });
    });
    const project = (name: string) => workspaces[name].project;
    expect(['outer-a', 'outer-inner-b', 'outer-inner-c', 'outer-inner-d', 'e'].map(project)).toEqual([
      'outer',
      'outer-inner',
      'outer',
      'By Name',
      undefined,
    ]);
    expect(workspaces['outer-inner-gone']).toEqual({ state: 'absent' });
  });

  test('a project construct grants access by level, by single permissions, and by construct or reference', () => {
    const sections = described((acme) => {
      const sre = new Team(acme, 'sre', { id: 'team-1' });
      const payments = new Project(acme, 'payments', { id: 'prj-1' });
      new Project(acme, 'closed', { id: 'prj-2', ownsAccess: true });
      payments.grant(sre, 'admin');
      payments.grant({ name: 'Auditors' }, { workspaceAccess: { runs: 'plan' } });
      payments.grant('contractors', 'none');
      new TeamAccess(acme, 'elsewhere', { project: 'prj-3', team: sre, access: 'read' });
      new TeamAccess(payments, 'inside', { team: 'readers', access: 'read' });
    });
    expect(sections['team-access']).toEqual({
      closed: {},
      payments: {
        Auditors: { access: 'custom', 'workspace-access': { runs: 'plan' } },
        contractors: 'none',
        readers: 'read',
        sre: 'admin',
      },
      'prj-3': { sre: 'read' },
    });
  });
});

describe('names to look up', () => {
  test('constructs accept aliases wherever they accept an id', async () => {
    const resources = await declared(
      (acme) =>
        new Workspace(acme, 'network', {
          project: { name: 'Platform' },
          executionMode: 'agent',
          agentPoolId: { name: 'On-prem' },
          sshKey: { name: 'Deploy' },
          vcsRepo: { identifier: 'acme/network', oauthTokenId: { name: 'GitHub' } },
          remoteStateConsumers: [{ project: { name: 'Payments' } }, { name: 'app-*' }],
        }),
      { scope: { projects: [{ name: 'Platform' }] }, prune: { workspaces: 'safe' } },
    );
    expect(resources[0]?.attributes).toMatchObject({
      project: '{projects:Platform}',
      'agent-pool-id': '{agent-pools:On-prem}',
      'ssh-key': '{ssh-keys:Deploy}',
      'vcs-repo.oauth-token-id': '{vcs-connections:GitHub}',
      'remote-state-consumers': { exactly: [{ project: '{projects:Payments}' }, { name: 'app-*' }] },
    });
  });

  test('an alias construct with the name of a key of the language stays an alias', () => {
    const sections = described(() => {}, { projects: { project: { name: 'Project' } } });
    expect(sections.projects).toEqual({ project: { name: 'Project' } });
  });
});

describe('state', () => {
  test('a workspace construct shares its state in any direction, with workspaces, names, ids and selectors', () => {
    const { workspaces } = described((acme) => {
      const payments = new Project(acme, 'payments', { id: 'prj-1' });
      const network = new Workspace(acme, 'network');
      const billing = new Workspace(payments, 'billing', { name: 'billing-prod' });
      network.allowStateReadBy(billing, 'dns', 'ws-4Fq').allowStateReadBy({ tag: 'x' }, { name: 'app-*' });
      billing.allowStateReadBy(network, payments, {
        project: [payments, { name: 'Other' }],
        except: ['dns'],
      });
    });
    expect(workspaces.network['remote-state-consumers']).toEqual([
      'billing-prod',
      'dns',
      'ws-4Fq',
      { tag: 'x' },
      { name: 'app-*' },
    ]);
    expect(workspaces['billing-prod']['remote-state-consumers']).toEqual([
      'network',
      { project: 'payments' },
      { project: ['payments', 'Other'], except: ['dns'] },
    ]);
  });

  test('allowStateReadBy adds to an exact and to an additive list of the props', () => {
    const { workspaces } = described((acme) => {
      const reader = new Workspace(acme, 'reader');
      new Workspace(acme, 'a', { remoteStateConsumers: ['b'] }).allowStateReadBy(reader);
      new Workspace(acme, 'b', { remoteStateConsumers: { remove: ['a'] } }).allowStateReadBy(reader);
      new Workspace(acme, 'c', { remoteStateConsumers: [] });
    });
    const consumers = (name: string) => workspaces[name]['remote-state-consumers'];
    expect(consumers('a')).toEqual(['b', 'reader']);
    expect(consumers('b')).toEqual({ add: ['reader'], remove: ['a'] });
    expect(consumers('c')).toEqual([]);
    expect(workspaces.reader).toEqual({});
  });
});

describe('tags', () => {
  test('tags of a scope apply to all constructs below it, also to those that are made later', () => {
    const { workspaces } = described((acme) => {
      Tags.of(acme).add('managed');
      const prod = new Construct(acme, 'prod');
      Tags.of(prod).add('prod', 'managed');
      new Workspace(prod, 'a', { tags: ['own', 'prod'] });
      const sandbox = new Construct(prod, 'sandbox');
      Tags.of(sandbox).remove('managed');
      const last = new Workspace(sandbox, 'b');
      Tags.of(last).add('last');
      new Workspace(acme, 'gone', { state: 'absent' });
    });
    expect(workspaces['prod-a'].tags).toEqual(['own', 'prod', 'managed']);
    expect(workspaces['prod-sandbox-b'].tags).toEqual({ add: ['prod', 'last'] });
    expect(workspaces.gone).toEqual({ state: 'absent' });
  });

  test('tags of a scope join an additive list except for what it removes, and leave an exact one unchanged', () => {
    const { workspaces } = described((acme) => {
      Tags.of(acme).add('managed', 'prod');
      new Workspace(acme, 'a', { tags: { add: ['own'], remove: ['prod'] } });
      new Workspace(acme, 'b', { tags: { exactly: ['own'] } });
    });
    expect(workspaces.a.tags).toEqual({ add: ['own', 'managed'], remove: ['prod'] });
    expect(workspaces.b.tags).toEqual({ exactly: ['own'] });
  });
});

describe('scopes', () => {
  test('every construct belongs to one organization', () => {
    const app = emptyApp();
    const acme = new Organization(app, 'acme');
    for (const made of [
      () => new Workspace(app, 'network'),
      () => new Project(app, 'platform'),
      () => new Team(app, 'sre'),
      () => new TeamAccess(app, 'access', { team: 'sre', access: 'read' }),
    ])
      expect(made).toThrow(/^(network|platform|sre|access) is not inside an organization$/);
    expect(() => new Organization(acme, 'beta')).toThrow(
      'acme/beta is inside acme, which is an organization already',
    );
  });

  test('synth fails for an app without an organization', async () => {
    await expect(emptyApp().synth()).rejects.toThrow('the program declares no organization');
  });
});
