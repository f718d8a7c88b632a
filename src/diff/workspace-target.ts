import { workspaceAttributes } from '../model/attribute-table.ts';
import {
  destroyDuration,
  destroyTime,
  inheritsPool,
  isAttributePath,
  isRepositoryPath,
  listPaths,
  modeFlag,
  poolFlag,
} from '../model/attributes.ts';
import { about, type Diagnostic, note, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { applyListRule, asListRule, mapListRule } from '../model/list-rule.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { listTexts, type Value, type Values } from '../model/value.ts';
import { targetBindings } from './bindings.ts';
import { located } from './comparison.ts';
import { sameAttribute } from './normalize.ts';
import { resolveTriggers } from './resolve-triggers.ts';

/**
 * The planned workspace without consumers: the live values overridden by the managed ones. Unmanaged values are copied
 * before the comparison, so that its result needs no filter.
 */
export function workspaceTarget(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  dialect: Dialect,
  diagnostics: Diagnostic[],
): WorkspaceResource {
  const attributes: Record<string, Value> = { ...live?.attributes };
  for (const [path, value] of Object.entries(desired.attributes)) {
    if (path === 'remote-state-consumers' || path === 'tag-bindings') continue;
    const rule = listPaths.has(path) ? asListRule<string>(value) : undefined;
    if (path === 'tags') attributes.tags = targetTags(value, live, dialect);
    else if (rule) {
      const list = applyListRule(rule, listTexts(live?.attributes[path]));
      // On a new workspace there is nothing to remove.
      if (live || list.length > 0) attributes[path] = list;
    } else if (live && isUnmanageable(desired, live, path, diagnostics)) continue;
    else attributes[path] = value;
  }
  const bindings = targetBindings(desired.attributes['tag-bindings'], live?.attributes);
  if (bindings) attributes['tag-bindings'] = bindings;
  if (desired.attributes['vcs-repo'] === null) detach(attributes);
  else checkRepository(desired, live, dialect, diagnostics);
  if (live) overwriteInherited(desired, live, attributes);
  if (dialect === 'terraform') {
    if (live) inheritTogether(desired, live, attributes);
    else withoutDefaultSharing(desired, attributes);
  }
  resolveSchedule(desired, live, { attributes, dialect });
  keepInheritedPool(desired, attributes);
  checkAgentPool(desired, live, { attributes, diagnostics });
  if (dialect === 'terraform') checkFlags(desired, attributes, diagnostics);
  diagnostics.push(...resolveTriggers(desired, live, { attributes, dialect }));
  return {
    kind: 'workspace',
    name: live && desired.declared?.keepsName ? live.name : desired.name,
    ...(live?.id !== undefined && { id: live.id }),
    attributes,
    ...about(desired),
  };
}

/** The administrators of a self-hosted service can choose that new workspaces share their state with all. */
function withoutDefaultSharing(desired: WorkspaceResource, attributes: Record<string, Value>): void {
  const { 'remote-state-consumers': consumers, 'project-remote-state': project } = desired.attributes;
  if (consumers !== undefined || project === true) attributes['global-remote-state'] ??= false;
}

function targetTags(rule: Value, live: WorkspaceResource | undefined, dialect: Dialect): string[] {
  const declared = asListRule<string>(rule) ?? { exactly: [] };
  if (dialect !== 'terraform') return applyListRule(declared, listTexts(live?.attributes.tags));
  // The live service stores tags in lower case: a change of case alone adds and removes the same tag.
  const lower = mapListRule(declared, (tags) => tags.map((tag) => tag.toLowerCase()));
  const kept = new Set('add' in lower ? lower.add : []);
  const stored = 'add' in lower ? { ...lower, remove: lower.remove.filter((tag) => !kept.has(tag)) } : lower;
  return applyListRule(stored, listTexts(live?.attributes.tags));
}

/** Whether a declared value cannot be set on an existing workspace; a difference is reported as a note. */
function isUnmanageable(
  desired: WorkspaceResource,
  live: WorkspaceResource,
  path: string,
  diagnostics: Diagnostic[],
): boolean {
  if (!isAttributePath(path)) return false;
  const spec = workspaceAttributes[path];
  const unknown = spec.hostedOnly === true && live.attributes[path] === undefined;
  if (spec.createOnly !== true && !unknown) return false;
  if (!sameAttribute(path, live.attributes[path], desired.attributes[path])) {
    diagnostics.push(
      note(
        unknown ? 'not-offered' : 'create-only',
        unknown
          ? `${path} of "${desired.name}" is ignored: this service does not return it`
          : `${path} of "${desired.name}" differs and is ignored: it can be set on create only`,
        { at: located(desired, path) },
      ),
    );
  }
  return true;
}

function detach(attributes: Record<string, Value>): void {
  for (const path of Object.keys(attributes)) if (isRepositoryPath(path)) delete attributes[path];
}

/**
 * What a workspace without a repository lacks to get the declared one (interface, section 2.2). The live service also accepts
 * an app installation instead of the connection.
 */
export function missingForRepository(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  dialect: Dialect,
): readonly string[] {
  const declared = Object.keys(desired.attributes).filter(isRepositoryPath);
  if (declared.length === 0 || (live && hasRepository(live))) return [];
  const isConnected = dialect === 'terraform' && declared.includes('vcs-repo.vcs-app-installation-id');
  return ['identifier', 'oauth-token-id'].filter(
    (key) => !declared.includes(`vcs-repo.${key}`) && !(key === 'oauth-token-id' && isConnected),
  );
}

function checkRepository(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  dialect: Dialect,
  diagnostics: Diagnostic[],
): void {
  const missing = missingForRepository(desired, live, dialect);
  if (missing.length === 0) return;
  diagnostics.push(
    problem(
      'missing-key',
      `"${desired.name}" has no repository yet, but vcs-repo lacks ${missing.join(' and ')}`,
      { at: located(desired, 'vcs-repo') },
    ),
  );
}

export function hasRepository(workspace: Pick<WorkspaceResource, 'attributes'>): boolean {
  return Object.keys(workspace.attributes).some(isRepositoryPath);
}

/** The settings that a workspace can inherit, and the flag of a value that is not inherited. */
const overwritten = [
  { path: 'execution-mode', flag: modeFlag },
  { path: 'agent-pool-id', flag: poolFlag },
] as const;

/**
 * The live execution mode and pool may be inherited. Declaring them makes them the workspace's own, even if the
 * inherited value is equal: both flags are set to true together.
 */
function overwriteInherited(
  desired: WorkspaceResource,
  live: WorkspaceResource,
  attributes: Record<string, Value>,
): void {
  const inherited = overwritten.some(
    ({ path, flag }) =>
      desired.attributes[path] !== undefined &&
      desired.attributes[path] !== null &&
      desired.attributes[flag] === undefined &&
      live.attributes[flag] === false,
  );
  if (!inherited) return;
  for (const { flag } of overwritten) {
    if (live.attributes[flag] !== undefined && desired.attributes[flag] === undefined)
      attributes[flag] = true;
  }
}

/** The live service lets a workspace that gives up its own mode inherit the pool, too. */
function inheritTogether(
  desired: WorkspaceResource,
  live: WorkspaceResource,
  attributes: Record<string, Value>,
): void {
  const givesUpMode = desired.attributes[modeFlag] === false;
  if (givesUpMode && live.attributes[modeFlag] === true && live.attributes[poolFlag] === true)
    attributes[poolFlag] = false;
}

/** A declared absence of a pool refers to an own pool; a workspace with an inherited one has no own pool. */
function keepInheritedPool(desired: WorkspaceResource, attributes: Record<string, Value>): void {
  if (desired.attributes['agent-pool-id'] !== null) return;
  if (inheritsPool((flag) => attributes[flag])) delete attributes['agent-pool-id'];
}

/** The live service refuses flags that differ. Own pools beside inherited modes cannot be sent without both. */
function checkFlags(desired: WorkspaceResource, attributes: Values, diagnostics: Diagnostic[]): void {
  if (desired.attributes[poolFlag] !== true || attributes[modeFlag] !== false) return;
  diagnostics.push(
    problem(
      'exclusive-settings',
      `"${desired.name}" declares ${poolFlag}: true, but inherits its execution mode: this service requires equal flags`,
      {
        at: located(desired, poolFlag),
        hint: 'write agent-pool: false to inherit both, or add execution-mode: agent and remove the flags',
      },
    ),
  );
}

/** A pool, or none, without a declared mode is valid only if the live mode matches it. */
function checkAgentPool(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  { attributes, diagnostics }: { attributes: Values; diagnostics: Diagnostic[] },
): void {
  const pool = desired.attributes['agent-pool-id'];
  // Only a workspace that inherits its mode already shows which one that is.
  if (attributes[modeFlag] === false && live?.attributes[modeFlag] !== false) return;
  const mode = attributes['execution-mode'];
  const isMissing = attributes['agent-pool-id'] === null && mode === 'agent';
  if (pool === undefined || (pool === null ? !isMissing : mode === 'agent')) return;
  const at = located(desired, 'agent-pool-id');
  diagnostics.push(
    pool === null
      ? problem('missing-key', `"${desired.name}" declares no agent pool, but its execution mode is agent`, {
          at,
          hint: 'name a pool, declare another execution-mode, or use the pool of the organization (setting-overwrites: {agent-pool: false})',
        })
      : problem(
          'exclusive-settings',
          `"${desired.name}" declares agent-pool-id, but its execution mode is ${mode ?? 'not agent'}`,
          { at },
        ),
  );
}

/** The keys of a repository that have a value, for the plan of its removal. */
export function repositoryOf(attributes: Values): Value {
  const keys = Object.entries(attributes)
    .filter(([path, value]) => isRepositoryPath(path) && value !== null && value !== '')
    .map(([path, value]) => [path.slice('vcs-repo.'.length), value]);
  return keys.length > 0 ? Object.fromEntries(keys) : null;
}

/** The time and the duration depend on each other: the service clears one with the other. */
function resolveSchedule(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  { attributes, dialect }: { attributes: Record<string, Value>; dialect: Dialect },
): void {
  const declared = desired.attributes;
  // A service that computes the time from the duration clears both together.
  if (declared[destroyDuration] === null && declared[destroyTime] === undefined)
    delete attributes[destroyTime];
  // On live services a time that is written without a duration replaces the duration.
  const writesTime =
    declared[destroyTime] !== undefined &&
    !sameAttribute(destroyTime, live?.attributes[destroyTime], declared[destroyTime]);
  if (
    dialect === 'terraform' &&
    writesTime &&
    declared[destroyDuration] === undefined &&
    live?.attributes[destroyDuration]
  )
    attributes[destroyDuration] = null;
}
