/*
 * A target is the live workspace with the declared values over it. Unmanaged values are copied before the comparison, so that
 * its result needs no filter. Then each step does to the target what the service does to the workspace when these values are
 * written, so that a plan shows it. What the service would refuse because of a live value is a problem of the declaration.
 */

import type { AttributePath } from '../model/attribute-values.ts';
import {
  attributeRow,
  byPatterns,
  byPrefixes,
  destroyDuration,
  destroyTime,
  exclusiveTriggers,
  inheritsPool,
  isRepositoryPath,
  isTriggerOn,
  listPaths,
  modeFlag,
  poolFlag,
  type Trigger,
} from '../model/attributes.ts';
import { about, type Diagnostic, note, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { applyListRule, asListRule, mapListRule } from '../model/list-rule.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { listTexts, type Value, type Values } from '../model/value.ts';
import { located } from './comparison.ts';
import { hasRepository, sameAttribute, targetBindings } from './fields.ts';

interface Draft {
  readonly desired: WorkspaceResource;
  readonly live: WorkspaceResource | undefined;
  readonly isTerraform: boolean;
  readonly attributes: Record<string, Value>;
  readonly refuse: (code: string, path: string, what: string, hint?: string) => void;
  readonly diagnostics: Diagnostic[];
}

const steps: readonly ((draft: Draft) => void)[] = [
  layDeclared,
  layBindings,
  layRepository,
  ownInherited,
  inheritTogether,
  withoutDefaultSharing,
  resolveSchedule,
  resolvePool,
  checkFlags,
  resolveTriggers,
];

export function workspaceTarget(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  dialect: Dialect,
  diagnostics: Diagnostic[],
): WorkspaceResource {
  const attributes: Record<string, Value> = { ...live?.attributes };
  const refuse: Draft['refuse'] = (code, path, what, hint) =>
    void diagnostics.push(problem(code, `"${desired.name}" ${what}`, { at: located(desired, path), hint }));
  const draft = { desired, live, isTerraform: dialect === 'terraform', attributes, refuse, diagnostics };
  for (const step of steps) step(draft);
  return {
    kind: 'workspace',
    name: live && desired.declared?.keepsName ? live.name : desired.name,
    id: live?.id,
    attributes,
    ...about(desired),
  };
}

function layDeclared(draft: Draft): void {
  const { desired, live, attributes } = draft;
  for (const [path, value] of Object.entries(desired.attributes)) {
    if (path === 'remote-state-consumers' || path === 'tag-bindings') continue;
    const rule = listPaths.has(path) ? asListRule<string>(value) : undefined;
    if (path === 'tags') attributes.tags = targetTags(value, draft);
    else if (rule) {
      const list = applyListRule(rule, listTexts(live?.attributes[path]));
      // On a new workspace there is nothing to remove.
      if (live || list.length > 0) attributes[path] = list;
    } else if (!isUnmanageable(path, draft)) attributes[path] = value;
  }
}

function targetTags(rule: Value, { live, isTerraform }: Draft): string[] {
  const declared = asListRule<string>(rule) ?? { exactly: [] };
  const current = listTexts(live?.attributes.tags);
  if (!isTerraform) return applyListRule(declared, current);
  // The live service stores tags in lower case: a change of case alone adds and removes the same tag.
  return applyListRule(
    mapListRule(declared, (tags) => tags.map((tag) => tag.toLowerCase())),
    current,
  );
}

/** Whether a declared value cannot be set on an existing workspace; a difference is reported as a note. */
function isUnmanageable(path: string, { desired, live, diagnostics }: Draft): boolean {
  if (!live) return false;
  const { hostedOnly, createOnly } = attributeRow(path) ?? {};
  const isUnknown = hostedOnly === true && live.attributes[path] === undefined;
  if (!createOnly && !isUnknown) return false;
  const why = isUnknown
    ? 'is ignored: this service does not return it'
    : 'differs and is ignored: it can be set on create only';
  if (!sameAttribute(path, live.attributes[path], desired.attributes[path]))
    diagnostics.push(
      note(isUnknown ? 'not-offered' : 'create-only', `${path} of "${desired.name}" ${why}`, {
        at: located(desired, path),
      }),
    );
  return true;
}

function layBindings({ desired, live, attributes }: Draft): void {
  const bindings = targetBindings(desired.attributes['tag-bindings'], live?.attributes);
  if (bindings) attributes['tag-bindings'] = bindings;
}

function layRepository({ desired, live, isTerraform, attributes, refuse }: Draft): void {
  if (desired.attributes['vcs-repo'] === null) {
    for (const path of Object.keys(attributes)) if (isRepositoryPath(path)) delete attributes[path];
    return;
  }
  const missing = missingForRepository(desired, live, isTerraform ? 'terraform' : 'iac');
  if (missing.length === 0) return;
  const what = `has no repository yet, but vcs-repo lacks ${missing.join(' and ')}`;
  refuse('missing-key', 'vcs-repo', what);
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

const overwritten = [
  { path: 'execution-mode', flag: modeFlag },
  { path: 'agent-pool-id', flag: poolFlag },
] as const;

/**
 * Declaring a mode or a pool that is inherited makes both the workspace's own, even if the inherited value is equal. A value
 * of `operations` that differs does so when it is written.
 */
function ownInherited({ desired, live, attributes }: Draft): void {
  const { operations } = desired.attributes;
  const isFree = (flag: AttributePath) => live && desired.attributes[flag] === undefined;
  const isOwned = overwritten.some(
    ({ path, flag }) =>
      (typeof desired.attributes[path] === 'string' ||
        (operations !== undefined && operations === live?.attributes.operations)) &&
      (isFree(flag) || (flag === modeFlag && desired.attributes[flag] === true)) &&
      live?.attributes[flag] === false,
  );
  for (const { flag } of isOwned ? overwritten : [])
    if (live?.attributes[flag] !== undefined && isFree(flag)) attributes[flag] = true;
}

/** A workspace that gives up its own mode inherits the pool, too, unless the pool is declared as its own. */
function inheritTogether({ desired, live, attributes }: Draft): void {
  const hadBoth = live?.attributes[modeFlag] === true && live.attributes[poolFlag] === true;
  const { [modeFlag]: mode, [poolFlag]: pool } = desired.attributes;
  if (hadBoth && mode === false && pool === undefined) attributes[poolFlag] = false;
}

/** The administrators of a self-hosted service can choose that new workspaces share their state with all. */
function withoutDefaultSharing({ desired, live, isTerraform, attributes }: Draft): void {
  const { 'remote-state-consumers': consumers, 'project-remote-state': project } = desired.attributes;
  if (isTerraform && !live && (consumers !== undefined || project === true))
    attributes['global-remote-state'] ??= false;
}

/** The time and the duration depend on each other: the service clears one with the other. */
function resolveSchedule({ desired, live, isTerraform, attributes }: Draft): void {
  const { [destroyDuration]: duration, [destroyTime]: time } = desired.attributes;
  // A service that computes the time from the duration clears both together.
  if (duration === null && time === undefined) delete attributes[destroyTime];
  // On live services a time that is written without a duration replaces the duration.
  const writesTime = time !== undefined && !sameAttribute(destroyTime, live?.attributes[destroyTime], time);
  if (isTerraform && writesTime && duration === undefined && live?.attributes[destroyDuration])
    attributes[destroyDuration] = null;
}

/** A pool, or none, without a declared mode is valid only if the live mode matches it. */
function resolvePool({ desired, live, attributes, refuse }: Draft): void {
  const pool = desired.attributes['agent-pool-id'];
  // A declared absence of a pool refers to an own pool; a workspace with an inherited one has no own pool.
  if (pool === null && inheritsPool((flag) => attributes[flag])) delete attributes['agent-pool-id'];
  // Only a workspace that inherits its mode already shows which one that is.
  if (attributes[modeFlag] === false && live?.attributes[modeFlag] !== false) return;
  const mode = attributes['execution-mode'];
  if (pool === null && attributes['agent-pool-id'] === null && mode === 'agent')
    refuse(
      'missing-key',
      'agent-pool-id',
      'declares no agent pool, but its execution mode is agent',
      'name a pool, declare another execution-mode, or use the pool of the organization (setting-overwrites: {agent-pool: false})',
    );
  // Only agents have a pool: the service removes it with the mode (interface, section 2.1).
  if (
    desired.attributes['execution-mode'] !== undefined &&
    mode !== 'agent' &&
    pool === undefined &&
    live?.attributes['agent-pool-id'] &&
    !inheritsPool((flag) => live.attributes[flag])
  )
    attributes['agent-pool-id'] = null;
  if (typeof pool !== 'string' || mode === 'agent') return;
  const what = `declares agent-pool-id, but its execution mode is ${mode ?? 'not agent'}`;
  refuse('exclusive-settings', 'agent-pool-id', what);
}

/** The live service refuses flags that differ. Own pools beside inherited modes cannot be sent without both. */
function checkFlags({ desired, isTerraform, attributes, refuse }: Draft): void {
  if (!isTerraform || desired.attributes[poolFlag] !== true || attributes[modeFlag] !== false) return;
  refuse(
    'exclusive-settings',
    poolFlag,
    `declares ${poolFlag}: true, but inherits its execution mode: this service requires equal flags`,
    'write agent-pool: false to inherit both, or add execution-mode: agent and remove the flags',
  );
}

/**
 * The live service accepts one way to start runs at a time. It clears an undeclared list of patterns or prefixes when
 * the other one is set.
 */
function resolveTriggers({ desired, live, isTerraform, attributes, refuse }: Draft): void {
  if (!isTerraform) return;
  const isWritten = ({ path }: Trigger) => !sameAttribute(path, live?.attributes[path], attributes[path]);
  const isDeclared = ({ path }: Trigger) => desired.attributes[path] !== undefined;
  const clears = (set: Trigger, other: Trigger) =>
    isWritten(set) &&
    !isDeclared(other) &&
    [set, other].every((one) => isTriggerOn(one, attributes[one.path]));
  if (clears(byPatterns, byPrefixes)) attributes[byPrefixes.path] = [];
  if (clears(byPrefixes, byPatterns)) attributes[byPatterns.path] = [];
  if (!exclusiveTriggers.flat().some(isWritten)) return;
  // A new workspace has this default, which conflicts in the same way as a declared value.
  const after: Values = live ? attributes : { 'file-triggers-enabled': true, ...attributes };
  const holds = (trigger: Trigger) => isTriggerOn(trigger, after[trigger.path]);
  const shown = ({ path, is }: Trigger) => (is === undefined ? path : `${path}: ${is}`);
  for (const pair of exclusiveTriggers) {
    const [first, second] = isDeclared(pair[0]) ? pair : [pair[1], pair[0]];
    if (!pair.every(holds) || !isDeclared(first)) continue;
    const isBoth = isDeclared(second);
    const whose = isBoth ? 'and' : live ? 'and live it has' : 'and by default it has';
    refuse(
      'exclusive-settings',
      first.path,
      `declares ${shown(first)} ${whose} ${shown(second)}: this service accepts only one of the two`,
      isBoth ? 'keep one of the two triggers' : `add \`${second.off}\``,
    );
  }
}
