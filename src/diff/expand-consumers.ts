import type { Live } from '../live/read-live.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import type { ListRule } from '../model/list-rule.ts';
import { asListRule, mapListRule } from '../model/list-rule.ts';
import { matchesSelector, type Selector } from '../model/selector.ts';
import {
  type ConsumerRef,
  isWorkspaceId,
  placeholderOf,
  type Resource,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { nearest } from '../model/text.ts';
import { type Comparison, located } from './comparison.ts';
import type { Matching } from './match-workspaces.ts';
import { inDefaultProject } from './settings-in-effect.ts';

/** The workspaces that consumer references are resolved against, as they will be after the plan. */
export interface ConsumerContext {
  readonly live: Live;
  readonly matching: Matching;
  readonly deletedIds: ReadonlySet<string | undefined>;
  /** All workspaces after the plan, by key: the id, or `{workspace.<name>}` for a workspace that has no id yet. */
  readonly targets: ReadonlyMap<string, WorkspaceResource>;
  /** The declared workspace of that name, selected for this plan or not. */
  readonly declared: (name: string) => Resource | undefined;
  readonly leftOut: Comparison['leftOut'];
  readonly diagnostics: Diagnostic[];
}

/** The context with cached results, because a line of a layer may concern many workspaces. */
export interface Expansion extends ConsumerContext {
  /** The keys of all workspaces that match a selector. */
  readonly selected: (selector: Selector) => readonly string[];
  /** The existing workspace name that is most similar to an unknown one. */
  readonly nearestTo: (name: string) => string | undefined;
  /** The id of a live workspace by its name: of one that was read, or that a list of consumers contains. */
  readonly idOf: (name: string) => string | undefined;
}

export function createExpansion(context: ConsumerContext): Expansion {
  const { targets, live, deletedIds } = context;
  const isSelected = (selector: Selector, target: WorkspaceResource) =>
    matchesSelector(selector, inDefaultProject(target, live), live.dialect);
  let idsByName: ReadonlyMap<string, string> | undefined;
  return {
    ...context,
    idOf: (name) => {
      idsByName ??= new Map([...live.names].map(([id, known]) => [known, id]));
      return live.state.resources.get(workspaceAddress(name))?.id ?? idsByName.get(name);
    },
    selected: remembered((selector) =>
      [...targets]
        .filter(([key, target]) => !deletedIds.has(key) && isSelected(selector, target))
        .map(([key]) => key),
    ),
    nearestTo: remembered((name) =>
      nearest(name, [...[...targets.values()].map((target) => target.name), ...(live.similarNames ?? [])]),
    ),
  };
}

/** Caches the results of a function by its argument. */
function remembered<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = new Map<string, Result>();
  return (argument) => {
    const key = JSON.stringify(argument);
    if (!results.has(key)) results.set(key, compute(argument));
    return results.get(key) as Result;
  };
}

/** The key of a workspace in consumer lists: its id, or a placeholder until it is created. */
export function consumerKey(workspace: WorkspaceResource): string {
  return workspace.id ?? placeholderOf(workspace.address);
}

/**
 * Resolves names, ids and selectors to keys. A selector excludes the workspace itself; naming it is an error.
 *
 * @param mustExist whether a wanted workspace that does not exist after the plan under its name is an error
 */
export function expandConsumers(
  desired: WorkspaceResource,
  own: string,
  context: Expansion,
  mustExist = true,
): ListRule | undefined {
  const rule = asListRule<ConsumerRef>(desired.attributes['remote-state-consumers']);
  if (rule === undefined) return undefined;
  const expand = (refs: readonly ConsumerRef[], one: (ref: string) => string | undefined) =>
    refs.flatMap((ref) =>
      typeof ref === 'string' ? (one(ref) ?? []) : context.selected(ref).filter((key) => key !== own),
    );
  /** The names and ids of wanted workspaces, by key. */
  const wanted = new Map<string, string>();
  return mapListRule(
    rule,
    (refs) =>
      expand(refs, (ref) => {
        const key = named(ref, desired, own, context, mustExist);
        if (key !== undefined) wanted.set(key, ref);
        return key;
      }),
    (refs) =>
      expand(refs, (ref) => {
        const key = named(ref, desired, own, context, false);
        const added = 'add' in rule && key !== undefined ? wanted.get(key) : undefined;
        if (added !== undefined) reportBothWays(added, ref, desired, context);
        return key;
      }),
  );
}

/** A name and an id of one workspace: equal spellings are found when the files are read. */
function reportBothWays(
  added: string,
  removed: string,
  desired: WorkspaceResource,
  { diagnostics }: ConsumerContext,
): void {
  diagnostics.push(
    problem(
      'added-and-removed',
      `the consumer "${added}" is both added and removed: "${removed}" is the same workspace`,
      {
        at: located(desired, 'remote-state-consumers'),
        hint: 'keep one of the two; across layers, write the same spelling in both',
      },
    ),
  );
}

/** The id of a workspace that a run leaves out before it has its new name. */
function formerId(ref: string, { declared, idOf }: Expansion): string | undefined {
  const former = declared(ref)?.declared?.renamedFrom;
  return former === undefined ? undefined : idOf(former);
}

/** Resolves a declared or live name first, then an id. */
function named(
  ref: string,
  desired: WorkspaceResource,
  own: string,
  context: Expansion,
  mustExist: boolean,
): string | undefined {
  const { live, matching, targets, diagnostics } = context;
  const report = (code: string, message: string, hint?: string) => {
    diagnostics.push(problem(code, message, { at: located(desired, 'remote-state-consumers'), hint }));
    return undefined;
  };

  const byName = matching.kept.get(ref);
  const address = workspaceAddress(ref);
  const current = context.idOf(ref);
  const id = byName
    ? (byName.live?.id ?? consumerKey(byName.desired))
    : (current ?? formerId(ref, context) ?? (isWorkspaceId(ref) ? ref : undefined));

  if (id === undefined) {
    if (!mustExist) return undefined;
    if (context.declared(ref)) {
      const { by, hint } = context.leftOut(address);
      return report(
        'needs-left-out',
        `"${desired.name}" requires "${ref}", which does not exist yet and which ${by} leaves out`,
        hint,
      );
    }
    const close = context.nearestTo(ref);
    return report(
      'unknown-name',
      `unknown workspace "${ref}": it is neither declared nor present in organization ${live.state.organization}`,
      close ? `did you mean "${close}"?` : 'declare the workspace, or check that the token may see it',
    );
  }
  // An entry to be removed need not exist, and may even be the workspace itself, which never is a consumer.
  if (!mustExist) return id === own ? undefined : id;
  if (id === own) {
    return report(
      'self-consumer',
      `the workspace "${desired.name}" cannot be its own consumer`,
      `remove "${ref}"`,
    );
  }
  const target = targets.get(id);
  if (context.deletedIds.has(id)) {
    return report(
      'reference-to-tombstone',
      `"${ref}" is a consumer of "${desired.name}", but this plan deletes it`,
      'declare it, or remove it from the list',
    );
  }
  if (target && target.name !== ref && current) {
    return report(
      'former-name',
      `"${ref}" is renamed to "${target.name}" by this configuration`,
      `write "${target.name}"`,
    );
  }
  return id;
}
