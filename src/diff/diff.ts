import type { Configuration } from '../desired/configuration.ts';
import type { Live } from '../live/read-live.ts';
import { type Action, actions, type Change, type WorkspaceChange } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type ListRule, type Resource, type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import { consumerKey, createExpansion, expandConsumers } from './expand-consumers.ts';
import { forcedDeletes } from './forced-deletes.ts';
import { grantChanges } from './grant-changes.ts';
import { applyListRule } from './list-rule.ts';
import { located, matchWorkspaces } from './match-workspaces.ts';
import { isLocked } from './same-value.ts';
import { toldOnce } from './told-once.ts';
import { workspaceChange } from './workspace-change.ts';
import { workspaceTarget } from './workspace-target.ts';

/** What a comparison looks at. */
export interface DiffOptions {
  /** Which addresses are looked at; the rest stays as it is. @default all */
  readonly chosen?: (address: string) => boolean;
}

/** What differs, and what is to be told about it. */
export interface Difference {
  /** By action (creates, updates, deletes), then by address. */
  readonly changes: readonly Change[];
  /** Declared resources without a difference. */
  readonly unchanged: number;
  /** Addresses of live workspaces in scope that no file declares; empty where the scope was not read in full. */
  readonly unmanaged: readonly string[];
  /** Everything that was read, as it will be: deleted resources left out, created ones with a placeholder for their id. */
  readonly after: readonly Resource[];
  /** Errors that only the reads could show; with one of them nothing may be applied. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compares what the files declare with what the service answered. Pure: the same input gives the same changes.
 *
 * Declared workspaces are matched with live ones, each becomes the target it shall be (unmanaged values copied from
 * the live one), consumer selectors are judged on all targets together, and then target and live are compared.
 *
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * const { changes, unchanged } = diff(configuration, live);
 * console.log(changes.map(({ action, address }) => `${action} ${address}`));
 * // [
 * //   'update team-access.payments/developers',
 * //   'update workspace.billing-prod',
 * //   'update workspace.network-prod',
 * //   'delete workspace.legacy'
 * // ]
 * console.log(unchanged); // 0
 * ```
 */
export function diff(configuration: Configuration, live: Live, options: DiffOptions = {}): Difference {
  const chosen = options.chosen ?? (() => true);
  const matching = matchWorkspaces(configuration, live, chosen);
  const diagnostics = [...matching.diagnostics];

  const planned = [...matching.kept.values()].map((match) => ({
    ...match,
    target: workspaceTarget(match.desired, match.live, live.dialect, diagnostics),
  }));
  const targets = targetsAfter(live, matching.deleted, planned);
  const context = createExpansion({
    live,
    matching,
    targets,
    diagnostics,
    deletedIds: new Set([...matching.deleted.values()].map(({ live: gone }) => gone.id)),
    isDeclared: (name: string) => configuration.desired.resources.has(workspaceAddress(name)),
  });
  const changes: Change[] = [];
  let unchanged = matching.alreadyGone;
  for (const { desired, live: current, target } of planned) {
    const consumers = expandConsumers(desired, consumerKey(target), context);
    if (consumers && isSharedWithAll(target)) diagnostics.push(consumersOfAll(desired));
    targets.set(consumerKey(target), withConsumers(target, consumers, context.deletedIds));
    const change = workspaceChange(target, current, desired, consumers);
    if (change) changes.push(withConsumerRule(change, consumers));
    else unchanged += 1;
  }
  diagnostics.push(...forcedDeletes(matching.deleted.values()));
  for (const { live: gone, mode, desired } of matching.deleted.values()) {
    changes.push({
      address: gone.address,
      kind: 'workspace',
      name: gone.name,
      action: 'delete',
      live: gone,
      fields: [],
      deleteMode: mode,
      ...(desired?.declared?.unlocks && isLocked(gone.attributes.lock) && { unlocks: true }),
      ...(desired?.location && { location: desired.location }),
    });
  }
  const grants = grantChanges(configuration, live, chosen, diagnostics);
  return {
    changes: [...changes, ...grants.changes].sort(byActionAndAddress),
    unchanged: unchanged + grants.unchanged,
    unmanaged: matching.unmanaged,
    after: [...targets.values(), ...grants.after],
    diagnostics: toldOnce(diagnostics),
  };
}

/** A target with the consumers that it will have, where that can be told. */
function withConsumers(
  target: WorkspaceResource,
  rule: ListRule | undefined,
  deletedIds: ReadonlySet<string | undefined>,
): WorkspaceResource {
  const path = 'remote-state-consumers';
  const stored = target.attributes[path];
  // What is stored cannot be read while the state is shared with all, so adding to it gives no known list.
  const isUnread = target.id !== undefined && !Array.isArray(stored);
  if (rule === undefined || (isUnread && 'add' in rule)) return target;
  const consumers = applyListRule(rule, Array.isArray(stored) ? stored.map(String) : []);
  const after = consumers.filter((id) => !deletedIds.has(id));
  return { ...target, attributes: { ...target.attributes, [path]: after } };
}

/** Every workspace that there will be, by the key that stands for it in consumer lists. */
function targetsAfter(
  live: Live,
  deleted: ReadonlyMap<string, unknown>,
  planned: readonly { readonly target: WorkspaceResource }[],
): Map<string, WorkspaceResource> {
  const targets = new Map<string, WorkspaceResource>();
  for (const workspace of live.state.resources.values()) {
    if (workspace.kind === 'workspace' && !deleted.has(workspace.address)) {
      targets.set(consumerKey(workspace), workspace);
    }
  }
  for (const { target } of planned) targets.set(consumerKey(target), target);
  return targets;
}

function isSharedWithAll(target: WorkspaceResource): boolean {
  return target.attributes['global-remote-state'] === true;
}

function consumersOfAll(desired: WorkspaceResource): Diagnostic {
  return {
    severity: 'error',
    code: 'consumers-with-global',
    message: `"${desired.name}" declares consumers, and its live global-remote-state is true: it shares its state with all`,
    address: desired.address,
    ...located(desired, 'remote-state-consumers'),
    hint: 'add `global-remote-state: false`, or remove remote-state-consumers',
  };
}

/** How the list is written depends on how it is declared, so the calls need to know the rule's form. */
function withConsumerRule(change: WorkspaceChange, rule: ListRule | undefined): WorkspaceChange {
  return rule && 'add' in rule ? { ...change, additiveConsumers: true } : change;
}

function byActionAndAddress(a: Change, b: Change): number {
  const order = (action: Action) => actions.indexOf(action);
  return order(a.action) - order(b.action) || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0);
}
