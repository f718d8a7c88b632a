import type { AliasKind } from './alias-kind.ts';
import { projectAttributes, workspaceAttributes } from './attribute-table.ts';
import type { AttributePath, ProjectPath } from './attribute-values.ts';
import { type AttributeSpec, placesByDialect } from './rows.ts';
import { isRecord, listTexts } from './value.ts';

export const workspaceNamePattern = /^[A-Za-z0-9_-]+$/;
export const selectedNamePattern = /^[A-Za-z0-9_*-]+$/;
export const selectedTagPattern = /^(?!.*\$\{)[^*?]+$/;

export const attributePaths = Object.keys(workspaceAttributes) as readonly AttributePath[];
export const projectPaths = Object.keys(projectAttributes) as readonly ProjectPath[];

/** The attributes that a project inherits from its organization, which the service takes together. */
export const projectExecutionPaths = [
  'default-execution-mode',
  'default-agent-pool',
] as const satisfies readonly ProjectPath[];

export function isAttributePath(path: string): path is AttributePath {
  return Object.hasOwn(workspaceAttributes, path);
}

export function isProjectPath(path: string): path is ProjectPath {
  return Object.hasOwn(projectAttributes, path);
}

export function attributeRow(path: string): AttributeSpec | undefined {
  if (isAttributePath(path)) return workspaceAttributes[path];
  return isProjectPath(path) ? projectAttributes[path] : undefined;
}

/** The settings that hold an id; a consumer list may hold selectors by project beside. */
export const referencePaths: Readonly<Partial<Record<string, AliasKind>>> = {
  project: 'projects',
  team: 'teams',
  'ssh-key': 'ssh-keys',
  ...Object.fromEntries(
    [...attributePaths, ...projectPaths].flatMap((path) => {
      const kind = attributeRow(path)?.reference;
      return kind ? [[path, kind]] : [];
    }),
  ),
};

/** The switches that share the state with more than the consumers; both at once are refused. */
export const sharingSwitches = [
  'global-remote-state',
  'project-remote-state',
] as const satisfies readonly AttributePath[];
type SharingSwitch = (typeof sharingSwitches)[number];

export const sharedWith: Readonly<Record<SharingSwitch, string>> = {
  'global-remote-state': 'all workspaces',
  'project-remote-state': 'all workspaces of its project',
};

/** The switch that shares the state. While it is on, the service lists other workspaces than the stored consumers. */
export function sharingSwitchOf(attributes: Readonly<Record<string, unknown>>): SharingSwitch | undefined {
  return sharingSwitches.find((path) => attributes[path] === true);
}

/** When a workspace is destroyed: at a time, or after a duration without a run, which it can inherit from its project. */
export const destroyTime = 'auto-destroy-at';
export const destroyDuration = 'auto-destroy-activity-duration';
export const inheritedDestroyDuration = 'inherited-auto-destroy-activity-duration';

/** The attributes that show whether the execution mode and the agent pool are the workspace's own. */
export const modeFlag = 'setting-overwrites.execution-mode';
export const poolFlag = 'setting-overwrites.agent-pool';

/** Whether the agent pool is inherited. Without its own flag, it is inherited together with the execution mode. */
export function inheritsPool(flagOf: (path: AttributePath) => unknown): boolean {
  const flag = flagOf(poolFlag);
  return flag === false || (flag !== true && flagOf(modeFlag) === false);
}

/** Attributes whose default differs from the interface on some platforms. */
export const variesByPlatform: ReadonlySet<string> = new Set<AttributePath>([
  'global-remote-state',
  'file-triggers-enabled',
]);

/** Attributes that are mappings. Attune manages only the keys that a file declares. */
export const nestedAttributes = ['vcs-repo', 'setting-overwrites'] as const;
export type NestedAttribute = (typeof nestedAttributes)[number];

export const nestedAttributeSpecs = {
  'vcs-repo': {
    title: 'vcs-repo',
    description:
      'The repository; only the named keys are managed. null: none. A new one needs `identifier` and `oauth-token-id`, or `vcs-app-installation-id` in the `terraform` dialect.',
    nullable: true,
  },
  'setting-overwrites': {
    title: 'setting-overwrites mapping',
    description:
      'For settings that a workspace can inherit: true, the workspace has its own value; false, the default of its project applies, else that of the organization. Only the named keys are managed.',
    nullable: false,
  },
};

export const workspaceRelations = [
  'project',
  'tags',
  'tag-bindings',
  'remote-state-consumers',
  'ssh-key',
  'lock',
  'data-retention',
] as const;
export type WorkspaceRelation = (typeof workspaceRelations)[number];

export const listPaths: ReadonlySet<string> = new Set([
  'tags',
  'remote-state-consumers',
  ...attributePaths.filter((path) => workspaceAttributes[path].type === 'strings'),
]);

export function coupledPaths(paths: readonly string[]): AttributePath[] {
  const groups = new Set(
    paths.flatMap((path) => (isAttributePath(path) ? (workspaceAttributes[path].coupling ?? []) : [])),
  );
  return attributePaths.filter((path) => {
    const { coupling } = workspaceAttributes[path];
    return coupling !== undefined && groups.has(coupling);
  });
}

/** A way to start runs: an attribute with a value, or with the boolean value `is`; and the line that turns it off. */
export interface Trigger {
  readonly path: AttributePath;
  readonly is?: boolean;
  readonly off: string;
}

export const byPatterns: Trigger = { path: 'trigger-patterns', off: 'trigger-patterns: []' };
export const byPrefixes: Trigger = { path: 'trigger-prefixes', off: 'trigger-prefixes: []' };
const byTags: Trigger = { path: 'vcs-repo.tags-regex', off: 'vcs-repo: {tags-regex: null}' };
const onFiles: Trigger = { path: 'file-triggers-enabled', is: true, off: 'file-triggers-enabled: false' };
const onAnyPush: Trigger = { path: 'file-triggers-enabled', is: false, off: 'file-triggers-enabled: true' };

/** Of each pair, the live service empties or refuses one. The interface does not document this. */
export const exclusiveTriggers: readonly (readonly [Trigger, Trigger])[] = [
  [byPatterns, byPrefixes],
  [byPatterns, onAnyPush],
  [byTags, byPatterns],
  [byTags, byPrefixes],
  [byTags, onFiles],
];

/** Whether a value of its attribute, declared or live, turns a trigger on. */
export function isTriggerOn({ is }: Trigger, value: unknown): boolean {
  if (is !== undefined) return value === is;
  if (isRecord(value)) return [value.exactly, value.add].flatMap(listTexts).length > 0;
  return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
}

/** Whether a path is a key, or is nested under it as `vcs-repo.branch` is under `vcs-repo`. */
export function isUnder(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`);
}

/**
 * Whether a value is lost on a service whose workspaces do not have its attribute. Not every service has these; without
 * `project-remote-state`, its default applies.
 */
export function isLost(path: string, value: unknown): boolean {
  if (isUnder(path, 'setting-overwrites')) return true;
  const { only, default: usual } = isAttributePath(path) ? workspaceAttributes[path] : {};
  return only !== undefined && value !== usual;
}

export function isRepositoryPath(path: string): boolean {
  return path.startsWith('vcs-repo.');
}

export const wirePlaces = placesByDialect(workspaceAttributes);
