import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import {
  type AttributeProps,
  type Level,
  type OrganizationProps,
  type ProjectAccessProps,
  type ReceiverProps,
  type RoleName,
  type SettingOverwritesProps,
  TeamAccess,
  type TeamAccessProps,
  type VcsRepoProps,
  Workspace,
  type WorkspaceAccessProps,
  type WorkspaceProps,
} from '../../src/constructs/index.ts';
import { aliasKindTable } from '../../src/model/alias-kind.ts';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import type { AttributePath, PermissionPath } from '../../src/model/attribute-values.ts';
import { attributePaths, type NestedAttribute, nestedAttributes } from '../../src/model/attributes.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import type { AccessLevel } from '../../src/model/permissions.ts';
import type { AttributeSpec } from '../../src/model/rows.ts';
import { declared, described } from './programs.ts';

type Kebab<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Kebab<Rest>}`
    : `-${Lowercase<First>}${Kebab<Rest>}`
  : Text;

/** The props of an interface as the language spells them, below the key that holds them. */
type Spelled<Props, Prefix extends string = ''> = {
  readonly [Prop in keyof Props & string as `${Prefix}${Kebab<Prop>}`]: true;
};

type Mapped = 'vcsRepo' | 'settingOverwrites';
type AttributesOfProps = Spelled<Omit<AttributeProps, Mapped>> &
  Spelled<VcsRepoProps, 'vcs-repo.'> &
  Spelled<SettingOverwritesProps, 'setting-overwrites.'>;

type PermissionsOfProps = Spelled<ProjectAccessProps, 'project-access.'> &
  Spelled<WorkspaceAccessProps, 'workspace-access.'>;

test('the props have every attribute and permission, and no other', () => {
  expectTypeOf<keyof AttributesOfProps>().toEqualTypeOf<AttributePath>();
  expectTypeOf<keyof PermissionsOfProps>().toEqualTypeOf<PermissionPath>();
});

test('the props have every access level, and no other', () => {
  expectTypeOf<TeamAccessProps['access']>().toEqualTypeOf<AccessLevel | 'none' | RoleName>();
  expectTypeOf<Level>().toEqualTypeOf<Exclude<AccessLevel, 'custom'> | 'none'>();
});

test('the props have both dialects, and no other', () => {
  expectTypeOf<NonNullable<OrganizationProps['service']>['dialect']>().toEqualTypeOf<Dialect | undefined>();
});

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly $defs: Readonly<Record<string, Schema>>;
}

const schema: Schema = JSON.parse(
  readFileSync(new URL('../../schemas/attune.schema.json', import.meta.url), 'utf8'),
);
const keysOf = ({ properties }: Schema | undefined = schema) => Object.keys(properties).sort();

function sampleOf({ type, reference, values = [], example = 'text' }: AttributeSpec): unknown {
  const text = reference ? `${aliasKindTable[reference].prefix}1` : example;
  return { string: values[0] ?? text, boolean: true, strings: [text] }[type];
}

/** One of each attribute; the types of the props are compared above. */
function samples(holder?: NestedAttribute): Readonly<Record<string, unknown>> {
  const prefix = holder === undefined ? '' : `${holder}.`;
  const own = attributePaths.filter(
    (path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'),
  );
  return Object.fromEntries(
    own.map((path) => [camelCase(path.slice(prefix.length)), sampleOf(workspaceAttributes[path])]),
  );
}

const attributes = {
  ...samples(),
  ...Object.fromEntries(nestedAttributes.map((holder) => [camelCase(holder), samples(holder)])),
} as unknown as Required<AttributeProps>;
/** One of each: a prop that is missing here, or too many, is an error of the type check. */
const workspace: Required<WorkspaceProps> = {
  ...attributes,
  name: 'network',
  extends: 'service',
  unmanaged: ['iac-version'],
  state: 'absent',
  delete: 'safe',
  renamedFrom: 'net',
  protect: true,
  project: 'prj-1',
  tags: { add: ['a'], remove: ['b'] },
  tagBindings: { add: { env: 'prod' }, remove: ['costCenter'] },
  remoteStateConsumers: ['billing'],
  sshKey: 'sshkey-1',
  lock: { reason: 'freeze' },
  dataRetention: { deleteOlderThanDays: 30 },
};

test('the constructs write every key of a workspace in the schema', () => {
  const { workspaces } = described((acme) => new Workspace(acme, 'one', workspace));
  expect(Object.keys(workspaces.network).sort()).toEqual(keysOf(schema.$defs.workspace));
  expect(Object.keys(workspaces.network['vcs-repo']).sort()).toEqual(
    keysOf(schema.$defs.workspace?.properties['vcs-repo']),
  );
});

test('the constructs write every key of a grant in the schema', () => {
  const access: Required<TeamAccessProps> = {
    project: 'prj-1',
    team: 'team-1',
    access: 'custom',
    until: '2026-12-31',
    reason: 'Q4 migration',
    projectAccess: {
      settings: 'read',
      teams: 'read',
      variableSets: 'read',
    } satisfies Required<ProjectAccessProps>,
    workspaceAccess: {
      runs: 'plan',
      policyMocks: 'read',
      stateVersions: 'read-outputs',
      variables: 'read',
      create: true,
      locking: true,
      delete: true,
      move: true,
      runTasks: true,
      policyOverrides: true,
    } satisfies Required<WorkspaceAccessProps>,
  };
  const sections = described((acme) => new TeamAccess(acme, 'one', access));
  const grant = sections['team-access']['prj-1']['team-1'];
  const { grant: wanted } = schema.$defs;
  expect(Object.keys(grant).sort()).toEqual(keysOf(wanted));
  for (const group of ['project-access', 'workspace-access'])
    expect(Object.keys(grant[group]).sort()).toEqual(keysOf(wanted?.properties[group]));
});

test('the constructs write every key of a root file in the schema that no construct or file replaces', () => {
  const organization: Required<OrganizationProps> = {
    name: 'acme',
    service: {
      address: 'https://iac.example.com',
      dialect: 'iac',
      rate: 1,
      parallelism: 1,
      timeout: 1,
      without: ['safe-delete'],
      data: 'live.json',
      seed: 'seed.yaml',
    } satisfies Required<NonNullable<OrganizationProps['service']>>,
    projects: { platform: 'prj-1' },
    teams: { sre: { name: 'SRE' } },
    sshKeys: { deploy: 'sshkey-1' },
    agentPools: { onprem: 'apool-1' },
    vcsConnections: { github: 'ot-1' },
    defaults: { workspace: { tags: ['managed'] } },
    templates: { service: { extends: 'base' }, base: { when: { tagged: { env: 'prod' } } } },
    scope: {
      projects: ['prj-1'],
      tags: ['managed'],
      names: ['*-prod'],
      tagged: { costCenter: '101' },
      adopt: ['a'],
      enforce: false,
    } satisfies Required<NonNullable<OrganizationProps['scope']>>,
    prune: { workspaces: 'safe', teamAccess: true } satisfies Required<
      NonNullable<OrganizationProps['prune']>
    >,
    notify: [
      { to: 'webhook', urlEnv: 'URL', secretEnv: 'SECRET', on: ['failed'] } satisfies Required<ReceiverProps>,
    ],
    guards: { protect: ['*-prod', { tag: 'prod' }], keepAdmin: ['sre'], keepSelf: true },
    policies: [
      {
        id: 'prod-no-auto-apply',
        on: 'workspace',
        when: "workspace.name.endsWith('-prod')",
        require: "!workspace.attributes['auto-apply']",
        severity: 'warning',
        message: 'Production runs are applied manually.',
      } satisfies Required<NonNullable<OrganizationProps['policies']>[number]>,
    ],
    roles: { auditor: { access: 'custom', workspaceAccess: { runs: 'plan' } } },
    limits: {
      ...{ deletes: 1, deletePercent: 10, revokes: 2, updates: 3, updatePercent: 20 },
      exceptionDays: 30,
    } satisfies Required<NonNullable<OrganizationProps['limits']>>,
    exceptions: [
      {
        address: 'workspace.web-prod',
        field: 'auto-apply',
        value: true,
        until: '2026-12-15',
        reason: 'INC-7',
      } satisfies Required<NonNullable<OrganizationProps['exceptions']>[number]>,
    ],
    freeze: [
      {
        ...{ from: '2026-12-20', to: '2027-01-04', cron: '0 18 * * 5', for: '60h', timezone: 'UTC' },
        ...{ reason: 'year end', select: { tag: 'prod' } },
      } satisfies Required<NonNullable<OrganizationProps['freeze']>[number]>,
    ],
  };
  const sections = described(() => {}, organization);
  const made = ['include', 'synthesized', 'team-access', 'workspaces'];
  expect(Object.keys(sections).sort()).toEqual(keysOf().filter((key) => !made.includes(key)));
  for (const section of ['scope', 'prune', 'limits', 'guards'])
    expect(Object.keys(sections[section]).sort()).toEqual(keysOf(schema.properties[section]));
  expect(Object.keys(sections.policies[0]).sort()).toEqual(keysOf(schema.$defs.policy));
  expect(Object.keys(sections.exceptions[0]).sort()).toEqual(keysOf(schema.$defs.exception));
  expect(Object.keys(sections.freeze[0]).sort()).toEqual(keysOf(schema.$defs['freeze-window']));
  expect(Object.keys(sections.service).sort()).toEqual(keysOf(schema.$defs.service));
  expect(sections.templates).toEqual({
    service: { extends: 'base' },
    base: { when: { tagged: { env: 'prod' } } },
  });
  expect(sections.projects).toEqual({ platform: 'prj-1' });
  expect(sections.teams).toEqual({ sre: { name: 'SRE' } });
});

const untyped = (props: object) => declared((acme) => new Workspace(acme, 'network', props));

test('an unknown prop is an error at run time', async () => {
  await expect(untyped({ autoAply: true })).rejects.toThrow('unknown key "auto-aply" in a workspace');
});

test('a prop in the spelling of files is an error at its line', async () => {
  await expect(untyped({ 'iac-version': '1.9.2' })).rejects.toThrow(
    /"iac-version" is not a prop\n {4}at test\/constructs\/props\.test\.ts:\d+:\d+ \(acme\/network\)\n {4}hint: write iacVersion/,
  );
});

function camelCase(text: string): string {
  return text.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
