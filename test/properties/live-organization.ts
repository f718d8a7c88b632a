import fc from 'fast-check';
import type { Edition, OrganizationSeed, WorkspaceSeed } from '../../src/emulator/index.ts';
import { accessLevels, permissions } from '../../src/model/permissions.ts';
import { pathsOf } from '../../src/model/rows.ts';
import type { Value } from '../../src/model/value.ts';

/** What a service is, beside what it holds. */
export interface Flavour {
  readonly dialect: 'iac' | 'terraform';
  readonly edition?: Edition;
}

export const flavours: readonly Flavour[] = [
  { dialect: 'iac' },
  { dialect: 'iac', edition: 'hosted' },
  { dialect: 'iac', edition: 'self-hosted' },
  { dialect: 'terraform', edition: 'hosted' },
  { dialect: 'terraform', edition: 'self-hosted' },
];

export function hasRetention({ edition }: Flavour): boolean {
  return edition !== 'hosted';
}

/** The universe that both sides draw from: small, so that they meet. */
export const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'] as const;
export type Name = (typeof names)[number];
export const projects = { One: 'prj-one', Two: 'prj-two', Three: 'prj-three' } as const;
export const teams = { sre: 'team-sre', developers: 'team-developers', auditors: 'team-auditors' } as const;
export const sshKeys = { deploy: 'sshkey-deploy', old: 'sshkey-old' } as const;
export const agentPools = { onprem: 'apool-onprem', cloud: 'apool-cloud' } as const;
export const connections = { github: 'ot-github', gitlab: 'ot-gitlab' } as const;
const tagNames = ['prod', 'network', 'Managed', 'eu:west'] as const;

export const some = <Shape extends Record<string, fc.Arbitrary<unknown>>>(shape: Shape) =>
  fc.record(shape, { requiredKeys: [] });

export const idOf = (things: Readonly<Record<string, string>>) => fc.constantFrom(...Object.values(things));
export const tags = fc.subarray([...tagNames]);
export const bindings = some({
  env: fc.constantFrom('prod', 'dev', null),
  'cost-center': fc.constant('101'),
  owner: fc.constant('jo'),
});
export const paths = fc.subarray(['modules/*', '/shared/**/*', 'a'], { minLength: 1 });
export const moment = fc.constantFrom('2027-01-31T18:00:00Z', '2027-06-01T00:00:00.000Z');
export const duration = fc.constantFrom('14d', '6h');
export const words = fc.constantFrom('Shared VPCs', 'yes', 'a: b # c', '1e3', 'línea\nañadida', ' ');
const folder = fc.constantFrom('infra', 'a/b');

/** Attributes that do not depend on others. */
export const plainAttributes = {
  'allow-destroy-plan': fc.boolean(),
  'assessments-enabled': fc.boolean(),
  'auto-apply': fc.boolean(),
  'auto-apply-run-trigger': fc.boolean(),
  description: words,
  'queue-all-runs': fc.boolean(),
  'source-name': fc.constantFrom('attune', 'manual'),
  'source-url': fc.constantFrom('https://example.com/a', 'https://example.com/b'),
  'speculative-enabled': fc.boolean(),
  'iac-version': fc.constantFrom('1.9.0', '~> 1.10.0', 'latest'),
  'working-directory': folder,
};

/** Who reads the state: the service refuses both switches. */
const sharedWith = ({ dialect }: Flavour) =>
  fc.constantFrom<object>(
    {},
    { 'global-remote-state': true },
    { 'global-remote-state': false },
    ...(dialect === 'terraform'
      ? [
          { 'project-remote-state': true, 'global-remote-state': false },
          { 'project-remote-state': false, 'global-remote-state': false },
        ]
      : []),
  );

export const retention = fc.oneof(
  fc.record({ 'delete-older-than-days': fc.constantFrom(7, 30) }),
  fc.record({ 'dont-delete': fc.constant(true as const) }),
);

const execution = fc.oneof(
  fc.constant({}),
  fc.record({ 'execution-mode': fc.constantFrom('remote', 'local') }),
  fc.record({ 'execution-mode': fc.constant('agent'), 'agent-pool-id': idOf(agentPools) }),
  fc.record({ operations: fc.boolean() }),
);

/** Only what a live service can hold at once. */
function triggers({ dialect }: Flavour): fc.Arbitrary<Record<string, unknown>> {
  if (dialect === 'iac')
    return some({
      'file-triggers-enabled': fc.boolean(),
      'trigger-patterns': paths,
      'trigger-prefixes': paths,
    });
  return fc.oneof(
    fc.record({ 'file-triggers-enabled': fc.boolean() }),
    fc.record({ 'trigger-patterns': paths }),
    fc.record({ 'file-triggers-enabled': fc.boolean(), 'trigger-prefixes': paths }),
  );
}

function repository(flavour: Flavour): fc.Arbitrary<Record<string, unknown>> {
  const keys = fc.record(
    {
      identifier: fc.constantFrom('acme/network', 'acme/billing'),
      'oauth-token-id': idOf(connections),
      branch: fc.constantFrom('main', 'next'),
      'ingress-submodules': fc.boolean(),
      'tags-regex': fc.constant('^v\\d'),
    },
    { requiredKeys: ['identifier', 'oauth-token-id'] },
  );
  return fc.oneof(
    { weight: 2, arbitrary: triggers(flavour) },
    fc.tuple(triggers(flavour), keys).map(([triggered, { 'tags-regex': regex, ...repo }]) => ({
      ...(regex && flavour.dialect === 'terraform' ? { 'file-triggers-enabled': false } : triggered),
      'vcs-repo': { ...repo, ...(regex && { 'tags-regex': regex }) },
    })),
  );
}

const destruction = fc.oneof(
  fc.constant({}),
  fc.record({ 'auto-destroy-at': moment }),
  fc.record({ 'auto-destroy-activity-duration': duration }),
  fc.record({ 'auto-destroy-activity-duration': duration, 'auto-destroy-at': moment }),
);

export function workspace(flavour: Flavour): fc.Arbitrary<WorkspaceSeed> {
  const beside = some({
    project: fc.constantFrom(...Object.keys(projects)),
    tags,
    ...(flavour.dialect === 'terraform' && { 'tag-bindings': bindings }),
    'remote-state-consumers': fc.subarray([...names]),
    'ssh-key': fc.constantFrom(...Object.keys(sshKeys)),
    locked: fc.oneof(
      { weight: 3, arbitrary: fc.constant(true) },
      fc.record({ by: fc.constant('user-jo'), reason: fc.constant('change freeze') }),
    ),
    ...(hasRetention(flavour) && { 'data-retention': retention }),
    'resource-count': fc.constantFrom(0, 3),
  });
  return fc
    .tuple(some(plainAttributes), sharedWith(flavour), execution, repository(flavour), destruction, beside)
    .map((parts) => Object.assign({}, ...parts) as WorkspaceSeed);
}

/** Permissions of a `custom` grant as a file nests them. */
export const customGrant = ({ dialect }: Flavour) =>
  some(
    Object.fromEntries(
      pathsOf(permissions, dialect).map((path) => [
        path,
        fc.constantFrom<Value>(...permissions[path].values),
      ]),
    ),
  ).map((values) => {
    const nested: Record<string, Record<string, Value>> = {};
    for (const [path, value] of Object.entries(values as Record<string, Value>)) {
      const [group = '', key = ''] = path.split('.');
      nested[group] = { ...nested[group], [key]: value };
    }
    return { access: 'custom', ...nested };
  });

export const grant = (flavour: Flavour) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...accessLevels.filter((level) => level !== 'custom')) },
    customGrant(flavour),
  );

/** The live side: what a service may hold, by its own rules. */
export function liveOrganization(flavour: Flavour): fc.Arbitrary<OrganizationSeed> {
  return fc
    .record({
      settings: some({
        'default-execution-mode': fc.constantFrom('remote', 'local'),
        ...(hasRetention(flavour) && { 'data-retention': retention }),
      }),
      workspaces: some(Object.fromEntries(names.map((name) => [name, workspace(flavour)]))),
      access: some(
        Object.fromEntries(
          Object.keys(projects).map((project) => [
            project,
            some(Object.fromEntries(Object.keys(teams).map((team) => [team, grant(flavour)]))),
          ]),
        ),
      ),
      agents: fc.constantFrom(...Object.keys(agentPools), undefined, undefined),
      described: liveProjects(flavour),
    })
    .map(({ settings, workspaces, access, agents, described }) => ({
      settings: {
        ...settings,
        ...(agents && { 'default-execution-mode': 'agent', 'default-agent-pool': agents }),
      } as NonNullable<OrganizationSeed['settings']>,
      projects: described,
      teams,
      'ssh-keys': sshKeys,
      'agent-pools': agentPools,
      'vcs-connections': connections,
      workspaces: Object.fromEntries(
        Object.entries(workspaces).map(([name, seed]) => [
          name,
          consistent(name, seed as WorkspaceSeed, workspaces),
        ]),
      ),
      'team-access': access as NonNullable<OrganizationSeed['team-access']>,
    }));
}

/** Only the live service writes projects; `Spare` has no workspaces, so that it can be deleted. */
function liveProjects({ dialect }: Flavour): fc.Arbitrary<NonNullable<OrganizationSeed['projects']>> {
  if (dialect === 'iac') return fc.constant(projects);
  const project = (id: string) =>
    some({ description: words, 'auto-destroy-activity-duration': duration, 'tag-bindings': bindings }).map(
      (rest) => ({ ...rest, id }),
    );
  const given = Object.entries({ ...projects, Spare: 'prj-spare' });
  return fc.record(Object.fromEntries(given.map(([name, id]) => [name, project(id)])));
}

/** Consumers are other workspaces that are there. */
function consistent(name: string, seed: WorkspaceSeed, all: object): WorkspaceSeed {
  const { 'remote-state-consumers': consumers, ...rest } = seed;
  const others = consumers?.filter((other) => other !== name && other in all);
  if (!others) return rest;
  const isShared = rest['project-remote-state'] === true;
  return { ...rest, 'global-remote-state': false, ...(!isShared && { 'remote-state-consumers': others }) };
}
