import { type Dialect, dialects } from './dialect.ts';

/**
 * The attribute table: the truth about every writable workspace attribute (interface, sections 2.1 and 2.2).
 * The schema, the diff, the import, the export and the embedded service all read it; no second list stands anywhere.
 */
export interface AttributeSpec {
  readonly type: 'string' | 'boolean' | 'strings';
  /** What the service stores when a create leaves the attribute out. `null`: nothing. */
  readonly default: string | boolean | null | readonly string[];
  /** Whether `null` clears it. Where the service has nothing to clear, `null` is an error. */
  readonly nullable: boolean;
  /** How two values are compared: as text, as a set of texts, or as a moment in time. @default 'text' */
  readonly compare?: 'set' | 'instant';
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  /** Sent on create only; never a reason to update. */
  readonly createOnly?: true;
  /** Known to the hosted offering only: a document without it says nothing about its value. */
  readonly hostedOnly?: true;
  /** The last segment of its name in a dialect that spells it differently. */
  readonly wire?: Partial<Record<Dialect, string>>;
}

const text = { type: 'string', default: null, nullable: true } as const;
const flag = (byDefault: boolean) => ({ type: 'boolean', default: byDefault, nullable: false }) as const;
const list = { type: 'strings', default: [], nullable: false, compare: 'set' } as const;

/** The format of `auto-destroy-activity-duration`: one to four digits, not zero, and a unit. */
export const durationPattern = /^(?!0+[dh])\d{1,4}[dh]$/;
/** What a workspace may be called. */
export const workspaceNamePattern = /^[A-Za-z0-9_-]+$/;
/** The ways a run is executed. */
export const executionModes = ['remote', 'local', 'agent'] as const;

const table = {
  'agent-pool-id': text,
  'allow-destroy-plan': flag(true),
  'assessments-enabled': { ...flag(false), hostedOnly: true },
  'auto-apply': flag(false),
  'auto-apply-run-trigger': flag(false),
  'auto-destroy-at': { ...text, compare: 'instant' },
  'auto-destroy-activity-duration': { ...text, pattern: durationPattern },
  description: text,
  // Its default is what the organization says, so nothing is assumed here.
  'execution-mode': { type: 'string', default: null, nullable: false, values: executionModes },
  'file-triggers-enabled': flag(true),
  'global-remote-state': flag(false),
  operations: flag(true),
  'queue-all-runs': flag(false),
  'source-name': { ...text, nullable: false, createOnly: true },
  'source-url': { ...text, nullable: false, createOnly: true },
  'speculative-enabled': flag(true),
  // On create the newest release of that day, so nothing is assumed here either.
  'iac-version': { type: 'string', default: null, nullable: false, wire: { terraform: 'terraform-version' } },
  'trigger-patterns': list,
  'trigger-prefixes': list,
  'working-directory': text,
  'vcs-repo.branch': text,
  'vcs-repo.identifier': { ...text, nullable: false },
  'vcs-repo.ingress-submodules': flag(false),
  'vcs-repo.oauth-token-id': { ...text, nullable: false },
  'vcs-repo.vcs-app-installation-id': {
    ...text,
    nullable: false,
    wire: { terraform: 'github-app-installation-id' },
  },
  'vcs-repo.tags-regex': text,
  'setting-overwrites.execution-mode': flag(true),
  'setting-overwrites.agent-pool': flag(true),
} as const satisfies Record<string, AttributeSpec>;

/** The table with every value it holds, for types that are made from it. */
export type AttributeTable = typeof table;

/** A writable attribute but for `name`, dotted inside `vcs-repo` and `setting-overwrites`. */
export type AttributePath = keyof typeof table;

export const workspaceAttributes: Readonly<Record<AttributePath, AttributeSpec>> = table;
export const attributePaths = Object.keys(table) as readonly AttributePath[];

/** Attributes that are mappings: inside them only the keys that a file names are managed. */
export const nestedAttributes = ['vcs-repo', 'setting-overwrites'] as const;
export type NestedAttribute = (typeof nestedAttributes)[number];

/** What a workspace has beside its attributes, each with calls of its own. */
export const workspaceRelations = [
  'project',
  'tags',
  'remote-state-consumers',
  'ssh-key',
  'lock',
  'data-retention',
] as const;
export type WorkspaceRelation = (typeof workspaceRelations)[number];

/** Attributes that the service settles together: writing one of them may change the others. */
const coupledAttributes: readonly (readonly AttributePath[])[] = [
  [
    'execution-mode',
    'agent-pool-id',
    'setting-overwrites.execution-mode',
    'setting-overwrites.agent-pool',
    'operations',
  ],
  ['trigger-patterns', 'trigger-prefixes', 'file-triggers-enabled', 'vcs-repo.tags-regex'],
  ['auto-destroy-activity-duration', 'auto-destroy-at'],
  ['vcs-repo.oauth-token-id', 'vcs-repo.vcs-app-installation-id'],
];

/** The attributes that are settled together with one of these paths, themselves included. */
export function coupledPaths(paths: readonly string[]): AttributePath[] {
  return coupledAttributes.filter((group) => group.some((path) => paths.includes(path))).flat();
}

export function isAttributePath(path: string): path is AttributePath {
  return Object.hasOwn(workspaceAttributes, path);
}

/** The attribute's name on the wire, without the mapping that holds it. */
export function wireName(path: AttributePath, dialect: Dialect): string {
  const name = path.slice(path.indexOf('.') + 1);
  return workspaceAttributes[path].wire?.[dialect] ?? name;
}

/** Where an attribute stands on the wire: under its name, inside the mapping that holds it, if one does. */
export interface WirePlace {
  readonly path: AttributePath;
  readonly holder: NestedAttribute | undefined;
  readonly name: string;
}

/** The places of all attributes, laid out once: a list of workspaces asks for them thousands of times. */
export const wirePlaces = Object.fromEntries(
  dialects.map((dialect) => [
    dialect,
    attributePaths.map((path) => ({
      path,
      holder: nestedAttributes.find((parent) => path.startsWith(`${parent}.`)),
      name: wireName(path, dialect),
    })),
  ]),
) as unknown as Readonly<Record<Dialect, readonly WirePlace[]>>;
