import type { IConstruct } from 'constructs';
import { captureCallSite, type Origin, PlacedValue } from './call-site.ts';
import type { List } from './list.ts';
import type { Workspace } from './workspace.ts';

interface Step {
  readonly action: 'add' | 'remove';
  readonly tags: readonly string[];
  readonly origin: Origin;
}

const steps = new WeakMap<IConstruct, Step[]>();

/**
 * Tags for all workspaces of a part of the tree, those that are made later included.
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
   * Adds tags, as a layer does: they join a plain list of a workspace, and leave the other live tags of a workspace without
   * one alone.
   *
   * @example
   * ```ts
   * Tags.of(acme).add('managed').add('prod');
   * ```
   */
  add(...tags: readonly string[]): this {
    return this.#record({ action: 'add', tags, site: captureCallSite(this.add) });
  }

  /**
   * Takes back what a scope above adds; a workspace's own tags stay.
   *
   * @example
   * ```ts
   * Tags.of(acme).add('managed');
   * Tags.of(network).remove('managed');
   * ```
   */
  remove(...tags: readonly string[]): this {
    return this.#record({ action: 'remove', tags, site: captureCallSite(this.remove) });
  }

  #record({ site, ...step }: Omit<Step, 'origin'> & Pick<Origin, 'site'>): this {
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
  // Tags of a scope alone leave the other tags of the workspace alone, as those of a layer do.
  if (tags === undefined) return { add: layered };
  if (isPlain(tags)) return tags.length === 0 ? tags : joined(tags, layered);
  if ('exactly' in tags) return tags;
  const { add = [], remove = [] } = tags;
  // Whoever says "remove" at the workspace means the tag of a scope as well.
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

/** From the outside in. */
function scopeTags(workspace: Workspace): readonly PlacedValue<string>[] {
  const tags = new Map<string, PlacedValue<string>>();
  for (const scope of workspace.node.scopes)
    for (const { action, tags: named, origin } of steps.get(scope) ?? [])
      for (const tag of named)
        if (action === 'remove') tags.delete(tag);
        else if (!tags.has(tag)) tags.set(tag, new PlacedValue(tag, origin));
  return [...tags.values()];
}
