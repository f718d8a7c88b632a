import type { Value } from '../../model/value.ts';
import { EmulatorError } from '../emulator-error.ts';
import type { Collections, Role, StoredEntity, StoredRetention, TokenKind } from '../store/store.ts';
import type { World } from '../world.ts';

/**
 * The initial state of a service: one organization, or several under `organizations`. Names replace ids everywhere.
 * `schemas/emulator-seed.schema.json` describes each key.
 */
export interface Seed extends OrganizationSeed {
  readonly organization?: string;
  readonly organizations?: Readonly<Record<string, OrganizationSeed | null>>;
  /** Callers by their token. Without any, every token is an owner's. */
  readonly tokens?: Readonly<Record<string, TokenSeed>>;
}

/** The initial state of an organization, by name. */
export interface OrganizationSeed {
  readonly settings?: SettingsSeed;
  readonly projects?: Named<ProjectSeed>;
  readonly teams?: Named<{ readonly secret?: boolean; readonly 'organization-access'?: readonly string[] }>;
  readonly 'ssh-keys'?: Named;
  readonly 'agent-pools'?: Named;
  readonly 'vcs-connections'?: Named<{ readonly client?: string; readonly provider?: string }>;
  readonly workspaces?: Readonly<Record<string, WorkspaceSeed | null>>;
  readonly 'team-access'?: Readonly<
    Record<string, Readonly<Record<string, string | Readonly<Record<string, Value>>>>>
  >;
}

/** Any attribute of a managed project under its name, and what else a project has. */
export interface ProjectSeed {
  readonly 'default-execution-mode'?: string;
  readonly 'default-agent-pool'?: string;
  readonly stacks?: number;
  readonly 'tag-bindings'?: Readonly<Record<string, string | null>>;
  readonly [attribute: string]: unknown;
}

/** Objects by name: an id, a mapping with or without one, or nothing. */
export type Named<Extra = unknown> = Readonly<
  Record<string, string | null | ({ readonly id?: string } & Extra)>
>;

/** The settings that an organization's workspaces inherit. */
export interface SettingsSeed {
  readonly 'default-execution-mode'?: string;
  readonly 'default-agent-pool'?: string;
  readonly 'default-project'?: string;
  readonly 'allow-force-delete'?: boolean;
  readonly 'assessments-enforced'?: boolean;
  readonly 'global-remote-state'?: boolean;
  readonly 'recoverable-items-enabled'?: boolean;
  readonly 'iac-version'?: string;
  readonly 'data-retention'?: RetentionSeed;
}

/** How long old data is kept. */
export type RetentionSeed = { readonly 'delete-older-than-days': number } | { readonly 'dont-delete': true };

/** Any writable attribute under its neutral name, and the relations of a workspace. */
export interface WorkspaceSeed {
  readonly id?: string;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly 'tag-bindings'?: Readonly<Record<string, string | null>>;
  readonly 'remote-state-consumers'?: readonly string[];
  readonly 'ssh-key'?: string;
  readonly locked?: boolean | { readonly by?: string; readonly reason?: string };
  readonly 'data-retention'?: RetentionSeed;
  readonly 'resource-count'?: number;
  readonly state?: StateSeed;
  readonly run?: { readonly id?: string; readonly status?: string; readonly 'created-at'?: string };
  readonly readme?: string;
  readonly 'created-at'?: string;
  readonly [attribute: string]: unknown;
}

/** The newest state of a workspace, and whether it is finished. */
export interface StateSeed {
  readonly id?: string;
  readonly 'created-at'?: string;
  readonly intermediate?: 'none' | 'pending' | 'finalized';
  readonly processing?: boolean;
  readonly outputs?: Readonly<Record<string, Value>>;
}

/** A caller: its role, and the workspaces that it covers. */
export interface TokenSeed {
  readonly role: Role;
  /** The name of the organization that the token belongs to. @default the first of the seed */
  readonly organization?: string;
  readonly workspaces?: readonly string[];
  readonly teams?: readonly string[];
  readonly user?: string;
  readonly kind?: TokenKind;
}

export type SeedPath = readonly (string | number)[];

export const idPrefixes = {
  projects: 'prj',
  teams: 'team',
  sshKeys: 'sshkey',
  agentPools: 'apool',
  vcsConnections: 'ot',
  workspaces: 'ws',
} as const satisfies Partial<Record<keyof Collections, string>>;
type ReferableName = keyof typeof idPrefixes;

/** The seed of one organization, with what it has defined so far. */
export type SeedScope = ReturnType<typeof createSeedScope>;

export function createSeedScope(input: {
  readonly world: World;
  readonly organization: string;
  readonly seed: OrganizationSeed;
  readonly path: SeedPath;
  /** The file of the seed, for messages. */
  readonly source: string;
}) {
  const { world, organization, path, source } = input;
  const { store } = world;
  const names = new Map<string, string>();
  const refusal = (place: SeedPath, problem: string) =>
    new EmulatorError(`${source}: ${[...path, ...place].join('.')}: ${problem}`);
  return {
    ...input,
    refusal,
    /** A new id, unless one is given, for an object that references then find. */
    define(kind: ReferableName, name: string, given?: string): StoredEntity {
      const id = given ?? store.nextId(idPrefixes[kind], `${organization}/${name}`);
      names.set(`${kind} ${name}`, id);
      return { id, organization, name };
    },
    /** The id of a reference by id or name. The last keys of the path are those below the organization. */
    idOf(kind: ReferableName, reference: string, ...place: SeedPath): string {
      if (store.get(kind, reference)?.organization === organization) return reference;
      const id =
        names.get(`${kind} ${reference}`) ?? [...names].find(([, known]) => known === reference)?.[1];
      if (id !== undefined) return id;
      const noun = kind.replace(/s$/, '').replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`);
      throw refusal(place, `the seed has no ${noun} ${reference}`);
    },
    retentionOf(owner: string, retention: RetentionSeed | undefined): StoredRetention | null {
      if (!retention) return null;
      const days = 'delete-older-than-days' in retention ? retention['delete-older-than-days'] : null;
      return { id: store.nextId('drp', owner), days };
    },
  };
}
