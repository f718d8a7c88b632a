import type { Dialect } from './dialect.ts';
import { effectiveBindings, type TagBindings } from './list-rule.ts';
import type { Values } from './value.ts';

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

export interface Selectable {
  readonly name: string;
  readonly attributes: Values;
}

type Spelling = (text: string) => string;
const asWritten: Spelling = (text) => text;
const inLowerCase: Spelling = (text) => text.toLowerCase();

export function hasBindings(
  { attributes }: Pick<Selectable, 'attributes'>,
  wanted: TagBindings,
  spelled: Spelling = asWritten,
): boolean {
  const isSame = (one: string | null, other: string | null) =>
    one === null || other === null ? one === other : spelled(one) === spelled(other);
  const has = Object.entries(effectiveBindings(attributes));
  return Object.entries(wanted).every(([key, value]) =>
    has.some(([one, its]) => isSame(one, key) && isSame(its, value)),
  );
}

export function matchesSelector(selector: Selector, workspace: Selectable, dialect: Dialect): boolean {
  // The live service stores tags in lower case.
  const wantedTag = dialect === 'terraform' ? inLowerCase : asWritten;
  return selects(selector, workspace, { spelled: asWritten, wantedTag });
}

/**
 * Whether a guard selects a workspace. Names, tags and key/value tags are compared without letter case, because some services ignore
 * it; only what `except` leaves out is compared as written, so that a guard never selects less.
 */
export function guardSelects(selector: Selector, workspace: Selectable): boolean {
  return selects(selector, workspace, { spelled: inLowerCase, wantedTag: inLowerCase });
}

function selects(
  { tag, project, name, except, tagged }: Selector,
  workspace: Selectable,
  { spelled, wantedTag }: { readonly spelled: Spelling; readonly wantedTag: Spelling },
): boolean {
  const { project: own, tags } = workspace.attributes;
  const has = Array.isArray(tags) ? tags.map((one) => spelled(String(one))) : [];
  const isNamed = (patterns: Texts, spelling: Spelling) =>
    [patterns].flat().some((pattern) => matchesAddress(spelling(pattern), spelling(workspace.name)));
  return (
    (tagged === undefined || hasBindings(workspace, tagged, spelled)) &&
    (tag === undefined || [tag].flat().every((one) => has.includes(wantedTag(one)))) &&
    (project === undefined || (typeof own === 'string' && [project].flat().includes(own))) &&
    (name === undefined || isNamed(name, spelled)) &&
    (except === undefined || !isNamed(except, asWritten))
  );
}

export function selectedProjects({ project }: Selector): readonly string[] {
  return project === undefined ? [] : [project].flat();
}

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

/**
 * Whether a text matches a pattern: `*` is any run of characters, every other part is one character. After a
 * mismatch only the last `*` takes one character more: an earlier one need not, because the leftmost match leaves the most
 * text. So the time is at most the product of the two lengths. A glob library would give other characters a meaning, too.
 */
export function matchesWildcard(pattern: string, text: string, any?: string): boolean {
  let [part, at] = [0, 0];
  let retry: { readonly part: number; at: number } | undefined;
  while (at < text.length) {
    const wanted = pattern[part];
    if (wanted === '*') retry = { part: ++part, at };
    else if (wanted !== undefined && (wanted === any || wanted === text[at])) {
      part++;
      at++;
    } else if (retry) {
      part = retry.part;
      at = ++retry.at;
    } else return false;
  }
  while (pattern[part] === '*') part++;
  return part === pattern.length;
}

/**
 * Matches a whole address, or the name in a selector, against a pattern of `--only`: `*` is any run of characters, `?` is one
 * character. Files are refused if a pattern of names in them has `?`.
 */
export function matchesAddress(pattern: string, address: string): boolean {
  return matchesWildcard(pattern, address, '?');
}
