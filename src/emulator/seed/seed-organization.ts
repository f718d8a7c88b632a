import type { ErrorObject } from '../http/responses.ts';
import { resolveAccess } from '../rules/resolve-access.ts';
import { projectSettings, writtenSettings } from '../rules/settings.ts';
import type { Collections, StoredOrganization, StoredProject } from '../store/store.ts';
import {
  createSeedScope,
  type idPrefixes,
  type Named,
  type ProjectSeed,
  type SeedInput,
  type SeedScope,
} from './seed.ts';
import { seedWorkspaces } from './seed-workspaces.ts';

const latestVersion = '1.13.0';

export function seedOrganization(input: SeedInput): void {
  const { world, seed } = input;
  const scope = createSeedScope(input);
  const createdAt = world.now();
  seedNamed(scope, 'agentPools', seed['agent-pools']);
  seedNamed(scope, 'projects', seed.projects, (extra, { name }) => ({
    settings: seededSettings(scope, name, extra),
    bindings: extra['tag-bindings'] ?? {},
    ...projectExecution(scope, name, extra),
    stacks: extra.stacks,
    createdAt,
  }));
  seedNamed(scope, 'teams', seed.teams, (extra) => ({
    settings: { visibility: extra.secret ? 'secret' : 'organization' },
    organizationAccess: extra['organization-access'] ?? [],
  }));
  seedNamed(scope, 'sshKeys', seed['ssh-keys']);
  seedNamed(scope, 'vcsConnections', seed['vcs-connections'], (extra, { id }) => ({
    client: extra.client ?? id.replace(/^ot-/, 'oc-'),
    provider: extra.provider ?? 'github',
  }));
  world.store.put('organizations', settings(scope));
  seedWorkspaces(scope);
  seedTeamAccess(scope);
}

type NamedKind = Exclude<keyof typeof idPrefixes, 'workspaces'>;

function seedNamed<Kind extends NamedKind, Extra>(
  { world, refusal, define }: SeedScope,
  kind: Kind,
  named: Named<Extra> = {},
  more: (extra: Partial<Extra>, base: { readonly id: string; readonly name: string }) => object = () => ({}),
): void {
  for (const [name, value] of Object.entries(named)) {
    const extra: { readonly id?: string } = typeof value === 'object' && value !== null ? value : {};
    const base = define(kind, name, typeof value === 'string' ? value : extra.id);
    if (world.store.get(kind, base.id)) throw refusal([name], `the id ${base.id} is used twice`);
    const record = { ...base, ...more(extra as Partial<Extra>, base) };
    world.store.put(kind, record as unknown as Collections[Kind]);
  }
}

function seededSettings({ refusal }: SeedScope, name: string, extra: ProjectSeed) {
  const errors: ErrorObject[] = [];
  const settings = writtenSettings(projectSettings, extra, errors);
  const [first] = errors;
  if (first === undefined) return settings;
  const [, , key = ''] = (first.source?.pointer ?? '').split('/').slice(1);
  throw refusal(['projects', name, key], first.detail ?? first.title);
}

function projectExecution(
  { idOf, refusal }: SeedScope,
  name: string,
  extra: { readonly 'default-execution-mode'?: string; readonly 'default-agent-pool'?: string },
): Pick<StoredProject, 'executionMode' | 'agentPool'> {
  const { 'default-execution-mode': mode, 'default-agent-pool': pool } = extra;
  const place = ['projects', name, 'default-agent-pool'];
  if ((mode === 'agent') !== (pool !== undefined))
    throw refusal(place, 'default-execution-mode: agent and default-agent-pool require each other');
  if (mode === undefined) return {};
  return {
    executionMode: mode,
    agentPool: pool === undefined ? null : idOf('agentPools', pool, ...place),
  };
}

function settings(scope: SeedScope): StoredOrganization {
  const { world, organization, seed, idOf, retentionOf } = scope;
  const given = seed.settings ?? {};
  const pool = given['default-agent-pool'];
  return {
    id: organization,
    defaultProject: defaultProject(scope),
    defaultAgentPool: pool === undefined ? null : idOf('agentPools', pool, 'settings', 'default-agent-pool'),
    // Self-hosted deployments share state with all workspaces unless their administrators choose otherwise.
    globalRemoteState:
      given['global-remote-state'] ?? (world.dialect === 'terraform' && world.edition === 'self-hosted'),
    latestVersion: given['iac-version'] ?? latestVersion,
    retention: retentionOf(organization, given['data-retention']),
    createdAt: world.now(),
    settings: {
      'default-execution-mode': given['default-execution-mode'] ?? 'remote',
      'allow-force-delete-workspaces': given['allow-force-delete'] ?? false,
      'assessments-enforced': given['assessments-enforced'] ?? false,
      'recoverable-items-enabled': given['recoverable-items-enabled'] ?? false,
    },
  };
}

const defaultName = 'Default Project';

function defaultProject({ world, seed, idOf, define }: SeedScope): string {
  const named = seed.settings?.['default-project'];
  if (named !== undefined) return idOf('projects', named, 'settings', 'default-project');
  if (seed.projects && defaultName in seed.projects)
    return idOf('projects', defaultName, 'projects', defaultName);
  const record = define('projects', defaultName);
  world.store.put('projects', { ...record, createdAt: world.now() });
  return record.id;
}

function seedTeamAccess(scope: SeedScope): void {
  const { world, seed, idOf, refusal } = scope;
  const { store, dialect } = world;
  for (const [projectName, teams] of Object.entries(seed['team-access'] ?? {})) {
    const path = ['team-access', projectName];
    const project = idOf('projects', projectName, ...path);
    for (const [teamName, value] of Object.entries(teams)) {
      const place = [...path, teamName];
      const team = idOf('teams', teamName, ...place);
      const attributes = typeof value === 'string' ? { access: value } : value;
      // Seeds use the neutral names in every dialect.
      const { access, errors } = resolveAccess({ before: undefined, attributes, dialect, names: 'iac' });
      if (errors.length > 0) {
        const problems = errors.map(
          ({ source, detail, title }) => `${source?.pointer ?? ''} ${detail ?? title}`,
        );
        throw refusal(place, problems.join('; '));
      }
      if (store.grantsOf(project).some((grant) => grant.team === team))
        throw refusal(place, 'duplicate access of this team');
      store.put('grants', { id: store.nextId('tprj', `${project}/${team}`), project, team, ...access });
    }
  }
}
