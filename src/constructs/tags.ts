import type { IConstruct } from 'constructs';
import { isBindingForm } from '../model/list-rule.ts';
import { captureCallSite, PlacedValue, type ValueOrigin } from './call-site.ts';
import type { List } from './prop-types.ts';
import type { Workspace } from './workspace.ts';

type Step = { readonly origin: ValueOrigin } & (
  | { readonly action: 'add' | 'remove'; readonly tags: readonly string[] }
  | { readonly action: 'bind'; readonly key: string; readonly value: string | null }
  | { readonly action: 'unbind'; readonly keys: readonly string[] }
);
type StepInput = Step extends infer One ? (One extends Step ? Omit<One, 'origin'> : never) : never;

const steps = new WeakMap<IConstruct, Step[]>();

/**
 * Tags for all workspaces of a part of the tree, including those that are created later.
 *
 * @example
 * ```ts
 * Tags.of(acme).add('prod', 'managed');
 * Tags.of(billing).remove('managed');
 * ```
 */
export class Tags {
  readonly #scope: IConstruct;

  private constructor(scope: IConstruct) {
    this.#scope = scope;
  }

  /**
   * The tags of a scope: an organization, a workspace, or any construct between them.
   *
   * @example
   * ```ts
   * Tags.of(payments).add('payments');
   * ```
   */
  static of(scope: IConstruct): Tags {
    return new Tags(scope);
  }

  /**
   * Adds tags, as a layer does: they are added to a plain list of a workspace; for a workspace without a list, its
   * other live tags are left alone.
   *
   * @example
   * ```ts
   * Tags.of(acme).add('managed').add('prod');
   * ```
   */
  add(...tags: readonly string[]): this {
    return this.#record({ action: 'add', tags }, captureCallSite(this.add));
  }

  /**
   * Removes tags that an outer scope adds; a workspace's own tags are kept.
   *
   * @example
   * ```ts
   * Tags.of(acme).add('managed');
   * Tags.of(network).remove('managed');
   * ```
   */
  remove(...tags: readonly string[]): this {
    return this.#record({ action: 'remove', tags }, captureCallSite(this.remove));
  }

  /**
   * Adds a key/value tag, as a layer does. Services of the `terraform` dialect only.
   *
   * @param value - `null` for a key without a value.
   * @example
   * ```ts
   * Tags.of(payments).bind('env', 'prod').bind('reviewed', null);
   * ```
   */
  bind(key: string, value: string | null): this {
    return this.#record({ action: 'bind', key, value }, captureCallSite(this.bind));
  }

  /**
   * Removes key/value tags that an outer scope adds; a workspace's own tags are kept.
   *
   * @example
   * ```ts
   * Tags.of(acme).bind('owner', 'platform');
   * Tags.of(network).unbind('owner');
   * ```
   */
  unbind(...keys: readonly string[]): this {
    return this.#record({ action: 'unbind', keys }, captureCallSite(this.unbind));
  }

  #record(step: StepInput, site: ValueOrigin['site']): this {
    const recorded = steps.get(this.#scope) ?? [];
    steps.set(this.#scope, recorded);
    recorded.push({ ...step, origin: { construct: this.#scope, site } });
    return this;
  }
}

/** The tags of a workspace together with those of its scopes. Undefined: not managed. */
export function tagsOf(workspace: Workspace): unknown {
  const { tags } = workspace.props;
  const layered = scopeTags(workspace);
  if (layered.length === 0) return tags;
  // As with a layer, tags of scopes alone do not manage the other tags of the workspace.
  if (tags === undefined) return { add: layered };
  if (isPlain(tags)) return tags.length === 0 ? tags : joined(tags, layered);
  if ('exactly' in tags) return tags;
  const { add = [], remove = [] } = tags;
  // `remove` of a workspace also removes tags of its scopes.
  const kept = layered.filter(({ value }) => !remove.includes(value));
  return { add: joined(add, kept), remove };
}

function isPlain(tags: List): tags is readonly string[] {
  return Array.isArray(tags);
}

function joined(
  own: readonly string[],
  layered: readonly PlacedValue<string>[],
): (string | PlacedValue<string>)[] {
  return [...own, ...layered.filter(({ value }) => !own.includes(value))];
}

/** Outer scopes first. */
function scopeTags(workspace: Workspace): readonly PlacedValue<string>[] {
  const tags = new Map<string, PlacedValue<string>>();
  for (const scope of workspace.node.scopes)
    for (const step of steps.get(scope) ?? []) {
      if (step.action === 'remove') for (const tag of step.tags) tags.delete(tag);
      if (step.action !== 'add') continue;
      for (const tag of step.tags) if (!tags.has(tag)) tags.set(tag, new PlacedValue(tag, step.origin));
    }
  return [...tags.values()];
}

/** The key/value tags of a workspace together with those of its scopes. Undefined: not managed. */
export function bindingsOf(workspace: Workspace): unknown {
  const own = workspace.props.tagBindings;
  const layered = scopeBindings(workspace);
  if (layered.size === 0) return own;
  if (own === undefined) return { add: layered };
  if (!isBindingForm(own)) {
    const tags = Object.entries(own);
    return tags.length === 0 ? own : new Map<string, unknown>([...layered, ...tags]);
  }
  if ('exactly' in own) return own;
  const { add = {}, remove = [] } = own;
  const kept = [...layered].filter(([key]) => !remove.includes(key));
  return { add: new Map<string, unknown>([...kept, ...Object.entries(add)]), remove };
}

/** Outer scopes first; an inner scope overrides the value of an outer one. */
function scopeBindings(workspace: Workspace): ReadonlyMap<string, PlacedValue<string | null>> {
  const bindings = new Map<string, PlacedValue<string | null>>();
  for (const scope of workspace.node.scopes)
    for (const step of steps.get(scope) ?? []) {
      if (step.action === 'bind') bindings.set(step.key, new PlacedValue(step.value, step.origin));
      if (step.action === 'unbind') for (const key of step.keys) bindings.delete(key);
    }
  return bindings;
}
