import type { NamedRecord, OrganizationRecord } from '../store/records.ts';
import type { World } from '../world.ts';
import { plantTeamAccess } from './plant-team-access.ts';
import { plantWorkspaces } from './plant-workspaces.ts';
import { createReferences, idPrefixes, type ReferableName, type References } from './references.ts';
import type { Named, OrganizationSeed, RetentionSeed } from './seed.ts';
import { type Locate, SeedError, type SeedPath } from './seed-error.ts';

export interface PlantInput {
  readonly world: World;
  readonly organization: string;
  readonly seed: OrganizationSeed;
  /** Where the organization stands in the seed. */
  readonly path: SeedPath;
  readonly locate: Locate;
}

/** What a create without a version gets, unless the seed says otherwise. */
const latestVersion = '1.13.0';

export function plantOrganization(input: PlantInput): void {
  const { world, organization, seed, locate } = input;
  const references = createReferences(world.store, organization, locate);
  const put = <Extra>(
    kind: Exclude<ReferableName, 'workspaces'>,
    named: Named<Extra> | undefined,
    complete: (base: NamedRecord, extra: Partial<Extra>) => NamedRecord,
  ) => {
    for (const [name, value] of Object.entries(named ?? {})) {
      const extra: { readonly id?: string } = typeof value === 'object' && value !== null ? value : {};
      const given = typeof value === 'string' ? value : extra.id;
      const id = given ?? world.store.nextId(idPrefixes[kind], `${organization}/${name}`);
      if (world.store.get(kind, id))
        throw new SeedError(`${locate([...input.path, name])}: the id ${id} is used twice`);
      const record = complete({ id, organization, name }, extra as Partial<Extra>);
      world.store.put(kind, record as never);
      references.add(kind, record);
    }
  };
  const createdAt = world.now();
  put('projects', seed.projects, (base, extra) => ({
    ...base,
    description: extra.description ?? null,
    createdAt,
  }));
  put('teams', seed.teams, (base, extra) => ({ ...base, secret: extra.secret ?? false }));
  put('sshKeys', seed['ssh-keys'], (base) => base);
  put('agentPools', seed['agent-pools'], (base) => base);
  put('vcsConnections', seed['vcs-connections'], (base, extra) => ({
    ...base,
    client: extra.client ?? base.id.replace(/^ot-/, 'oc-'),
    provider: extra.provider ?? 'github',
  }));
  world.store.put('organizations', settings(input, references));
  plantWorkspaces(input, references);
  plantTeamAccess(input, references);
}

function settings(input: PlantInput, references: References): OrganizationRecord {
  const { world, organization, seed, path } = input;
  const given = seed.settings ?? {};
  const place = (key: string) => [...path, 'settings', key];
  const pool = given['default-agent-pool'];
  const retention = given['data-retention'];
  return {
    id: organization,
    defaultProject: defaultProject(input, references),
    defaultExecutionMode: given['default-execution-mode'] ?? 'remote',
    defaultAgentPool:
      pool === undefined ? null : references.idOf('agentPools', pool, place('default-agent-pool')),
    allowForceDelete: given['allow-force-delete'] ?? false,
    assessmentsEnforced: given['assessments-enforced'] ?? false,
    // Self-hosted deployments share state with everybody unless their administrators choose otherwise.
    globalRemoteState:
      given['global-remote-state'] ?? (world.dialect === 'terraform' && world.edition === 'self-hosted'),
    latestVersion: given['iac-version'] ?? latestVersion,
    retention: retention
      ? { id: world.store.nextId('drp', organization), days: retentionDays(retention) }
      : null,
    createdAt: world.now(),
  };
}

const defaultName = 'Default Project';

/** There is always one: the one that the settings name, or one of its own. */
function defaultProject({ world, organization, seed, path }: PlantInput, references: References): string {
  const named = seed.settings?.['default-project'];
  if (named !== undefined)
    return references.idOf('projects', named, [...path, 'settings', 'default-project']);
  if (seed.projects && defaultName in seed.projects) {
    return references.idOf('projects', defaultName, [...path, 'projects', defaultName]);
  }
  const id = world.store.nextId(idPrefixes.projects, `${organization}/${defaultName}`);
  const record = { id, organization, name: defaultName, description: null, createdAt: world.now() };
  world.store.put('projects', record);
  references.add('projects', record);
  return id;
}

/** Null: nothing is ever deleted. */
export function retentionDays(retention: RetentionSeed): number | null {
  return 'delete-older-than-days' in retention ? retention['delete-older-than-days'] : null;
}
