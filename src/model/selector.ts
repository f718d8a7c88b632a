import type { Dialect } from './dialect.ts';
import { effectiveBindings, type TagBindings } from './tag-bindings.ts';
import type { Values } from './value.ts';
import { matchesWildcard } from './wildcard.ts';

/** One text or several. */
export type Texts = string | readonly string[];

/** Selects workspaces. All keys of a selector must match; a key that is not given matches every workspace. */
export type Selector = {
  /** Tags: the workspace has all of them. */
  readonly tag?: Texts;
  /** Ids of projects: the workspace is in any of them. */
  readonly project?: Texts;
  /** Names, with `*` for any run of characters: the workspace matches any of them. */
  readonly name?: Texts;
  /** Names, with `*` for any run of characters: the workspace matches none of them. */
  readonly except?: Texts;
  /** Key/value tags in effect, inherited ones included: the workspace has all of them. `null` is a key without a value. */
  readonly tagged?: TagBindings;
};

/** The properties of a workspace that a selector matches. */
export interface Selectable {
  readonly name: string;
  readonly attributes: Values;
}

/** Whether a workspace has all of these key/value tags in effect. */
export function hasBindings({ attributes }: Pick<Selectable, 'attributes'>, wanted: TagBindings): boolean {
  const has = effectiveBindings(attributes);
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(has, key) && has[key] === value);
}

/** Whether a workspace matches one key of a selector. */
type Matcher = (wanted: readonly string[], workspace: Selectable, dialect: Dialect) => boolean;

const matchers: { readonly [Key in Exclude<keyof Selector, 'tagged'>]-?: Matcher } = {
  tag: (tags, { attributes }, dialect) => {
    const has = attributes.tags;
    // The live service stores tags in lower case.
    const spelled = (tag: string) => (dialect === 'terraform' ? tag.toLowerCase() : tag);
    return Array.isArray(has) && tags.every((tag) => has.includes(spelled(tag)));
  },
  project: (projects, { attributes: { project } }) =>
    typeof project === 'string' && projects.includes(project),
  name: (patterns, { name }) => patterns.some((pattern) => matchesWildcard(pattern, name)),
  except: (patterns, { name }) => !patterns.some((pattern) => matchesWildcard(pattern, name)),
};

const selectorKeys = Object.keys(matchers) as readonly (keyof typeof matchers)[];

/** Whether a workspace matches a selector whose projects are ids. */
export function matchesSelector(selector: Selector, workspace: Selectable, dialect: Dialect): boolean {
  if (selector.tagged && !hasBindings(workspace, selector.tagged)) return false;
  return selectorKeys.every((key) => {
    const wanted = selector[key];
    return wanted === undefined || matchers[key]([wanted].flat(), workspace, dialect);
  });
}

/**
 * Whether a guard selects a workspace. Names, tags and key/value tags are compared without letter case, because some services ignore
 * it; only what `except` leaves out is compared as written, so that a guard never selects less.
 */
export function guardSelects(selector: Selector, workspace: Selectable, dialect: Dialect): boolean {
  const { name, tag, tagged, ...others } = selector;
  const { tags } = workspace.attributes;
  const has = new Set(Array.isArray(tags) ? tags.map(lowerCase) : []);
  const bindings = Object.entries(effectiveBindings(workspace.attributes));
  const isBound = ([key, value]: readonly [string, string | null]) =>
    bindings.some((one) => lowerCase(one[0]) === lowerCase(key) && lowerCase(one[1]) === lowerCase(value));
  return (
    matchesSelector(others, workspace, dialect) &&
    (name === undefined ||
      [name]
        .flat()
        .some((pattern) => matchesWildcard(pattern.toLowerCase(), workspace.name.toLowerCase()))) &&
    (tag === undefined || [tag].flat().every((one) => has.has(lowerCase(one)))) &&
    (tagged === undefined || Object.entries(tagged).every(isBound))
  );
}

function lowerCase(text: unknown): unknown {
  return typeof text === 'string' ? text.toLowerCase() : text;
}

/** The projects that a selector names. */
export function selectedProjects({ project }: Selector): readonly string[] {
  return project === undefined ? [] : [project].flat();
}

/** A selector with each of its projects replaced. Those of a list have an index. */
export function mapSelectorProjects(
  selector: Selector,
  replace: (project: string, index?: number) => string,
): Selector {
  const { project } = selector;
  if (project === undefined) return selector;
  return {
    ...selector,
    project:
      typeof project === 'string' ? replace(project) : project.map((one, index) => replace(one, index)),
  };
}
