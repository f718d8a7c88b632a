import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { asListRule, type ListRule, mapListRule } from '../model/list-rule.ts';
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
import { remembered } from '../model/value.ts';
import { type Comparison, located, type Matched } from './comparison.ts';
import { inDefaultProject } from './settings-in-effect.ts';

interface ConsumerContext extends Pick<Comparison, 'live' | 'leftOut'> {
  readonly planned: ReadonlyMap<string, Matched<'workspace'>>;
  readonly deletedIds: ReadonlySet<string | undefined>;
  /** All workspaces after the plan, by key: the id, or `{workspace.<name>}` for a workspace that has no id yet. */
  readonly targets: ReadonlyMap<string, WorkspaceResource>;
  readonly declared: (name: string) => Resource | undefined;
  readonly diagnostics: Diagnostic[];
}

/** The key of a workspace in consumer lists: its id, or a placeholder until it is created. */
export function consumerKey(workspace: WorkspaceResource): string {
  return workspace.id ?? placeholderOf(workspace.address);
}

type ExpandConsumers = (desired: WorkspaceResource, own: string) => ListRule | undefined;

/**
 * Resolves names, ids and selectors to keys: a declared or live name first, then an id. A selector excludes the workspace
 * itself; naming it is an error. A line of a layer may concern many workspaces, so what it resolves to is remembered.
 */
export function consumerExpansion(context: ConsumerContext): ExpandConsumers {
  const { live, planned, targets, deletedIds, diagnostics, declared } = context;
  const selected = remembered((selector: Selector) =>
    [...targets].flatMap(([key, target]) =>
      !deletedIds.has(key) && matchesSelector(selector, inDefaultProject(target, live), live.dialect)
        ? key
        : [],
    ),
  );
  const nearestTo = remembered((name: string) =>
    nearest(
      name,
      [...targets.values()].map((target) => target.name),
    ),
  );
  const idsByName = new Map([...live.names].map(([id, name]) => [name, id]));
  const idOf = (name: string) => live.state.resources.get(workspaceAddress(name))?.id ?? idsByName.get(name);

  const keyOf = (ref: string): string | undefined => {
    const match = planned.get(ref);
    if (match) return match.live?.id ?? consumerKey(match.desired);
    // A run can leave a workspace out before it has its new name.
    const { renamedFrom } = declared(ref)?.declared ?? {};
    const formerId = renamedFrom === undefined ? undefined : idOf(renamedFrom);
    return idOf(ref) ?? formerId ?? (isWorkspaceId(ref) ? ref : undefined);
  };

  const refusal = (
    ref: string,
    key: string | undefined,
    desired: WorkspaceResource,
    own: string,
  ): Refusal => {
    if (key === undefined && declared(ref)) {
      const { code, by, hint } = context.leftOut(workspaceAddress(ref));
      const what = `"${desired.name}" requires "${ref}", which does not exist yet and which ${by} leaves out`;
      return [code, what, hint];
    }
    if (key === undefined) {
      const where = `it is neither declared nor present in organization ${live.state.organization}`;
      const close = nearestTo(ref);
      const hint = close && `did you mean "${close}"?`;
      const other = 'declare the workspace, or check that the token may see it';
      return ['unknown-name', `unknown workspace "${ref}": ${where}`, hint ?? other];
    }
    if (key === own)
      return [
        'self-consumer',
        `the workspace "${desired.name}" cannot be its own consumer`,
        `remove "${ref}"`,
      ];
    if (deletedIds.has(key)) {
      const what = `"${ref}" is a consumer of "${desired.name}", but this plan deletes it`;
      return ['reference-to-tombstone', what, 'declare it, or remove it from the list'];
    }
    const { name = ref } = targets.get(key) ?? {};
    if (name === ref || idOf(ref) === undefined) return undefined;
    return ['former-name', `"${ref}" is renamed to "${name}" by this configuration`, `write "${name}"`];
  };

  return (desired, own) => {
    const rule = asListRule<ConsumerRef>(desired.attributes['remote-state-consumers']);
    if (rule === undefined) return undefined;
    const want = (ref: string) => {
      const key = keyOf(ref);
      const refused = refusal(ref, key, desired, own);
      if (!refused) return key;
      const [code, message, hint] = refused;
      const at = located(desired, `remote-state-consumers ${ref}`);
      diagnostics.push(problem(code, message, { at, hint }));
      return undefined;
    };
    // An entry to be removed need not exist, and may even be the workspace itself, which never is a consumer.
    const unwant = (ref: string) => {
      const key = keyOf(ref);
      return key === own ? undefined : key;
    };
    const expand = (refs: readonly ConsumerRef[], one: (ref: string) => string | undefined) =>
      refs.flatMap((ref) =>
        typeof ref === 'string' ? (one(ref) ?? []) : selected(ref).filter((key) => key !== own),
      );
    return mapListRule(
      rule,
      (refs) => expand(refs, want),
      (refs) => expand(refs, unwant),
    );
  };
}

type Refusal = readonly [code: string, message: string, hint: string] | undefined;
