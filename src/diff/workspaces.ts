import type { Live } from '../live/read-live.ts';
import { type SharingSwitch, sharingSwitches, sharingSwitchOf } from '../model/attributes.ts';
import type { WorkspaceChange } from '../model/change.ts';
import { deletionSource, modeHints } from '../model/change.ts';
import { hasConsumersOfLayer } from '../model/configuration.ts';
import { about, type Diagnostic, note, problem, type Severity, warning } from '../model/diagnostic.ts';
import type { ListRule } from '../model/list-rule.ts';
import { applyListRule } from '../model/list-rule.ts';
import {
  type DeleteMode,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { counted } from '../model/text.ts';
import { isRecord, listTexts, sameValue } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';
import { type Comparison, type KindDifference, located } from './comparison.ts';
import { consumerKey, createExpansion, expandConsumers } from './expand-consumers.ts';
import { type Deletion, matchWorkspaces, type PlannedMatch } from './match-workspaces.ts';
import { checkOwnership } from './ownership.ts';
import { projectTargets } from './projects.ts';
import { checkProtection } from './protection.ts';
import { type Inheritance, inheritanceOf, withInherited } from './settings-in-effect.ts';
import { workspaceChange } from './workspace-change.ts';
import { workspaceTarget } from './workspace-target.ts';

/**
 * Compares workspaces. Each declared workspace is matched with its live one. Its target has the declared values, and
 * the live ones where it declares none. Consumer selectors are evaluated on all targets together. Then targets and live
 * workspaces are compared.
 */
export function compareWorkspaces(comparison: Comparison): KindDifference<'workspace'> {
  const { configuration, live } = comparison;
  const matching = matchWorkspaces(comparison);
  const diagnostics = [...matching.diagnostics];
  const inheritance = inheritanceOf(comparison, projectTargets(comparison));
  const planned = [...matching.kept.values()].map((match) => {
    const target = workspaceTarget(match.desired, match.live, live.dialect, diagnostics);
    const inheriting = withInherited(target, match.live, inheritance, match.desired.declared);
    return { ...match, target: sharingLive(inheriting, match.live) };
  });
  const targets = targetsAfter(live, { deleted: matching.deleted, planned, inheritance });
  const context = createExpansion({
    live,
    matching,
    targets,
    diagnostics,
    leftOut: comparison.leftOut,
    deletedIds: new Set([...matching.deleted.values()].map(({ live: gone }) => gone.id)),
    declared: (name: string) => configuration.desired.resources.get(workspaceAddress(name)),
  });
  const changes: WorkspaceChange[] = [];
  const ignored: IgnoredConsumers[] = [];
  for (const { desired, live: current, target } of planned) {
    const shared = sharingSwitchOf(target.attributes);
    const declared = expandConsumers(desired, consumerKey(target), context);
    const isIgnored = declared && shared !== undefined && hasConsumersOfLayer(desired.address, configuration);
    const consumers = isIgnored ? undefined : declared;
    if (isIgnored) ignored.push({ desired, shared });
    if (consumers && shared) diagnostics.push(consumersOfAll(desired, shared));
    diagnostics.push(...[bothSwitches(desired, target)].flat());
    targets.set(consumerKey(target), withConsumers(target, consumers, context.deletedIds));
    const change = workspaceChange(target, current, desired, consumers);
    if (change) changes.push(withConsumerRule(change, consumers));
  }
  const all = [...changes, ...[...matching.deleted.values()].map(deletion)];
  return {
    changes: all,
    unchanged: matching.alreadyGone + planned.length - changes.length,
    unmanaged: matching.unmanaged,
    after: [...targets.values()],
    diagnostics: [
      ...diagnostics,
      ...checkOwnership(comparison, planned, matching.deleted),
      ...checkProtection(comparison, planned, matching.deleted, inheritance),
      ...consumersIgnored(ignored),
      ...checkDeletions(matching.deleted.values(), comparison.refusal),
    ],
  };
}

/** Most targets have the live values: they share them, so that a run over many organizations needs no copies. */
function sharingLive(target: WorkspaceResource, live: WorkspaceResource | undefined): WorkspaceResource {
  return live && sameValue(target.attributes, live.attributes)
    ? { ...target, attributes: live.attributes }
    : target;
}

function deletion({ live, mode, desired }: Deletion): WorkspaceChange {
  return {
    kind: 'workspace',
    name: live.name,
    ...about({ address: live.address, location: desired?.location }),
    action: 'delete',
    live,
    fields: [],
    deleteMode: mode,
    ...(desired?.declared?.unlocks && isLocked(live.attributes.lock) && { unlocks: true }),
    ...(desired?.declared?.unchanged && { unchanged: desired.declared.unchanged }),
  };
}

/** A target with its consumers after the plan, if they are known. */
function withConsumers(
  target: WorkspaceResource,
  rule: ListRule | undefined,
  deletedIds: ReadonlySet<string | undefined>,
): WorkspaceResource {
  const path = 'remote-state-consumers';
  const stored = target.attributes[path];
  // The stored list cannot be read while the state is shared with all, so the result of additions is unknown.
  const isUnread = target.id !== undefined && !Array.isArray(stored);
  if (rule === undefined || (isUnread && 'add' in rule)) return target;
  const consumers = applyListRule(rule, listTexts(stored));
  const after = consumers.filter((id) => !deletedIds.has(id));
  return { ...target, attributes: { ...target.attributes, [path]: after } };
}

interface PlannedWorkspaces {
  readonly deleted: ReadonlyMap<string, unknown>;
  readonly planned: readonly PlannedMatch[];
  readonly inheritance: Inheritance;
}

/** Every workspace after the plan, by its key in consumer lists. An undeclared one inherits after the plan, too. */
function targetsAfter(
  live: Live,
  { deleted, planned, inheritance }: PlannedWorkspaces,
): Map<string, WorkspaceResource> {
  const targets = new Map<string, WorkspaceResource>();
  for (const workspace of resourcesOf(live.state.resources.values(), 'workspace')) {
    if (deleted.has(workspace.address)) continue;
    targets.set(consumerKey(workspace), withInherited(workspace, workspace, inheritance));
  }
  for (const { target } of planned) targets.set(consumerKey(target), target);
  return targets;
}

/** A workspace that declares a list, and the switch that makes it ineffective. */
interface IgnoredConsumers {
  readonly desired: WorkspaceResource;
  readonly shared: SharingSwitch;
}

/** One note, at the first workspace, for all whose live sharing makes the list of a layer ineffective. */
function consumersIgnored([ignored, ...others]: readonly IgnoredConsumers[]): Diagnostic[] {
  if (!ignored) return [];
  const { desired: first, shared } = ignored;
  const more = others.length > 0 ? ` (and that of ${counted(others.length, 'more workspace')})` : '';
  return [
    note(
      'consumers-ignored',
      `remote-state-consumers of "${first.name}"${more} is ignored: it is declared by a layer, and the live ${shared} is true`,
      {
        at: located(first, 'remote-state-consumers'),
        hint: `add \`${shared}: false\` to share the state with these consumers only`,
      },
    ),
  ];
}

function consumersOfAll(desired: WorkspaceResource, shared: SharingSwitch): Diagnostic {
  const readers = shared === 'global-remote-state' ? 'workspace' : 'workspace of its project';
  return problem(
    'consumers-with-global',
    `"${desired.name}" declares consumers, but its live ${shared} is true: every ${readers} can read its state`,
    {
      at: located(desired, 'remote-state-consumers'),
      hint: `add \`${shared}: false\`, or remove remote-state-consumers`,
    },
  );
}

/** The service refuses both switches. Two declared ones are a problem of the files, so one of them is live here. */
function bothSwitches(desired: WorkspaceResource, target: WorkspaceResource): Diagnostic | [] {
  if (!sharingSwitches.every((path) => target.attributes[path] === true)) return [];
  const on = sharingSwitches.find((path) => desired.attributes[path] === true);
  const kept = sharingSwitches.find((path) => path !== on);
  if (on === undefined || kept === undefined) return [];
  return problem(
    'exclusive-settings',
    `"${desired.name}" declares ${on}: true, but its live ${kept} is true, too, and the service refuses both`,
    { at: located(desired, on), hint: `add \`${kept}: false\`` },
  );
}

/** The calls depend on the form of the rule, exact or additions and removals. */
function withConsumerRule(change: WorkspaceChange, rule: ListRule | undefined): WorkspaceChange {
  return rule && 'add' in rule ? { ...change, additiveConsumers: true } : change;
}

/**
 * Reports problems of the deletions of a plan: a safe delete of a workspace that manages resources would fail, and so does
 * one of a locked workspace on live services. A forced delete abandons the resources and ignores the lock.
 *
 * @param refusal the severity of a deletion that cannot be made
 */
export function checkDeletions(deletions: Iterable<Deletion>, refusal: Severity): Diagnostic[] {
  const inOrder = [...deletions].sort((a, b) => (a.live.address < b.live.address ? -1 : 1));
  return inOrder.flatMap((deletion) => checks[deletion.mode](deletion, refusal));
}

const checks: Readonly<Record<DeleteMode, (deletion: Deletion, refusal: Severity) => Diagnostic | []>> = {
  safe: safeDelete,
  force: forcedDelete,
};

function safeDelete(deletion: Deletion, refusal: Severity): Diagnostic | [] {
  const { live, desired } = deletion;
  const count = resourceCount(live);
  if (count === 0) return lockedDelete(deletion);
  const hints = modeHints[deletionSource(desired !== undefined, desired?.location)];
  return problem(
    'manages-resources',
    `${live.address} cannot be deleted safely: it manages ${counted(count, 'resource')}`,
    {
      severity: refusal,
      at: { address: live.address, location: desired?.location },
      hint: `destroy the resources first, or ${hints.force} to delete the workspace without destroying them`,
    },
  );
}

/** Whether a lock forbids a safe delete is not documented (interface, section 4.1), and the lock can end before the apply. */
function lockedDelete({ live, desired }: Deletion): Diagnostic | [] {
  const reason = locked(live, desired);
  if (reason === undefined) return [];
  return warning('locked-delete', `the service can refuse to delete ${live.address} safely: ${reason}`, {
    at: { address: live.address, location: desired?.location },
    hint: 'unlock it before the apply, or ask the holder of the lock',
  });
}

function forcedDelete({ live, desired }: Deletion): Diagnostic | [] {
  const reasons = [abandoned(live), locked(live, desired)].filter((reason) => reason !== undefined);
  if (reasons.length === 0) return [];
  const hints = modeHints[deletionSource(desired !== undefined, desired?.location)];
  return warning('forced-delete', `${live.address} is force-deleted: ${reasons.join(', and ')}`, {
    at: { address: live.address, location: desired?.location },
    hint: `${hints.safe} to keep the workspace while it manages resources`,
  });
}

function abandoned(live: Resource): string | undefined {
  const count = resourceCount(live);
  if (count === 0) return undefined;
  return `it manages ${counted(count, 'resource')}, which ${count === 1 ? 'is' : 'are'} not destroyed`;
}

function resourceCount({ attributes }: Resource): number {
  const count = attributes['resource-count'];
  return typeof count === 'number' ? count : 0;
}

/** An undo of a creation may delete a workspace that the same run locked, because it unlocks the workspace first. */
function locked({ attributes: { lock } }: Resource, desired: Resource | undefined): string | undefined {
  if (!isRecord(lock) || lock.locked !== true || desired?.declared?.unlocks) return undefined;
  const reason = typeof lock.reason === 'string' ? ` ("${lock.reason}")` : '';
  return typeof lock.by === 'string' ? `it is locked by ${lock.by}${reason}` : `it is locked${reason}`;
}
