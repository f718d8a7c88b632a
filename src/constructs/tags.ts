import type { IConstruct } from 'constructs';
import { isBindingForm } from '../model/list-rule.ts';
import { isRecord } from '../model/value.ts';
import { captureCallSite, PlacedValue, type ValueOrigin } from './origin.ts';
import type { Workspace } from './workspace.ts';

type Tag<Value = string | null> = readonly [key: string, value: Value];

interface Step {
  readonly of: 'tags' | 'bindings';
  readonly origin: ValueOrigin;
  readonly add?: readonly Tag[];
  readonly remove?: readonly string[];
}

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
    const add = tags.map((tag) => [tag, tag] as const);
    return this.#record({ of: 'tags', add }, captureCallSite(this.add));
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
    return this.#record({ of: 'tags', remove: tags }, captureCallSite(this.remove));
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
    return this.#record({ of: 'bindings', add: [[key, value]] }, captureCallSite(this.bind));
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
    return this.#record({ of: 'bindings', remove: keys }, captureCallSite(this.unbind));
  }

  #record(step: Omit<Step, 'origin'>, site: ValueOrigin['site']): this {
    const recorded = steps.get(this.#scope) ?? [];
    steps.set(this.#scope, [...recorded, { ...step, origin: { construct: this.#scope, site } }]);
    return this;
  }
}

/** The tags of a workspace, with those of its scopes. */
export function tagPropsOf({ props, node: { scopes } }: Workspace) {
  return {
    tags: joined(props.tags, scopeTags(scopes, 'tags'), {
      isForm: isRecord,
      read: (own) => (Array.isArray(own) ? own.map((tag) => [tag, tag]) : undefined),
      made: (all) => all.map(([, tag]) => tag),
    }),
    tagBindings: joined(props.tagBindings, scopeTags(scopes, 'bindings'), {
      isForm: isBindingForm,
      read: (own) => (isRecord(own) ? Object.entries(own) : undefined),
      made: (all) => new Map(all),
    }),
  };
}

/** Outer scopes first; an inner scope overrides the value of an outer one. */
function scopeTags(scopes: readonly IConstruct[], of: Step['of']): readonly Tag<unknown>[] {
  const tags = new Map<string, unknown>();
  for (const { add = [], remove = [], origin } of scopes
    .flatMap((scope) => steps.get(scope) ?? [])
    .filter((step) => step.of === of)) {
    for (const key of remove) tags.delete(key);
    for (const [key, value] of add) tags.set(key, new PlacedValue(value, origin));
  }
  return [...tags];
}

interface Grammar {
  /** Whether it is `exactly`, or `add` and `remove`. */
  readonly isForm: (own: unknown) => boolean;
  /** Undefined if it is of another type, which the schema reports. */
  readonly read: (own: unknown) => readonly Tag<unknown>[] | undefined;
  readonly made: (tags: readonly Tag<unknown>[]) => unknown;
}

/** As with a layer, tags of scopes join a plain list and `add`, and do not manage other tags of the workspace. */
function joined(own: unknown, layered: readonly Tag<unknown>[], { isForm, read, made }: Grammar): unknown {
  if (layered.length === 0) return own;
  if (own === undefined) return { add: made(layered) };
  const { exactly, add, remove = [] } = (isForm(own) ? own : { add: own }) as Form;
  const tags = add === undefined ? [] : read(add);
  if (!tags || !Array.isArray(remove)) return own;
  if (exactly !== undefined || (!isForm(own) && tags.length === 0)) return own;
  // `remove` of a workspace also removes tags of its scopes.
  const others = layered.filter(([key]) => !remove.includes(key) && !tags.some(([one]) => one === key));
  const all = made([...tags, ...others]);
  return isForm(own) ? { add: all, remove } : all;
}

type Form = { readonly exactly?: unknown; readonly add?: unknown; readonly remove?: readonly string[] };
