import type { Selector, Texts } from '../model/selector.ts';
import type { ListRule, ProjectResource } from '../model/state.ts';
import { type BindingRule, isBindingForm, type TagBindings } from '../model/tag-bindings.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { matchesWildcard } from '../model/wildcard.ts';

/** Whether declared values match a selector; `live` if values decide that no file declares. */
export type DeclaredMatch = 'yes' | 'no' | 'live';

/** A declared workspace. */
export interface DeclaredSelectable {
  readonly name: string;
  readonly attributes: Values;
}

export interface DeclaredContext {
  /** The managed projects, which hand key/value tags down. */
  readonly projects: readonly ProjectResource[];
  /** Whether names and key/value tags are compared without letter case, as guards compare them. @default false */
  readonly foldsCase?: boolean;
  /** Whether undeclared values count as none, so that the files alone decide. @default false */
  readonly ignoresLive?: boolean;
}

/** Whether a workspace matches a selector by its declared values. Tags are compared without letter case. */
export function matchesDeclared(
  { tag, project, name, except, tagged }: Selector,
  workspace: DeclaredSelectable,
  { projects, foldsCase = false, ignoresLive = false }: DeclaredContext,
): DeclaredMatch {
  const { attributes } = workspace;
  const fold = (text: string) => (foldsCase ? text.toLowerCase() : text);
  const matches = (patterns: Texts, spelled: (text: string) => string = (text) => text) =>
    [patterns].flat().some((pattern) => matchesWildcard(spelled(pattern), spelled(workspace.name)));
  const own = attributes.project;
  const parent = projects.find(({ id }) => id && id === own);
  const undeclared = ignoresLive ? 'absent' : 'live';
  const found = [
    name === undefined || matches(name, fold) ? 'yes' : 'no',
    except !== undefined && matches(except) ? 'no' : 'yes',
    ...(project === undefined ? [] : [inProject([project].flat(), own)]),
    ...[tag ?? []].flat().map((one) => hasTag(one, attributes.tags)),
    ...Object.entries(tagged ?? {}).map((wanted) =>
      hasBinding(wanted, attributes, { parent, fold, undeclared }),
    ),
  ];
  if (found.includes('no')) return 'no';
  if (found.includes('live')) return ignoresLive ? 'no' : 'live';
  return 'yes';
}

function inProject(projects: readonly string[], own: Value | undefined): DeclaredMatch {
  if (typeof own !== 'string') return 'live';
  return projects.includes(own) ? 'yes' : 'no';
}

function hasTag(wanted: string, declared: Value | undefined): DeclaredMatch {
  if (declared === undefined || declared === null) return 'live';
  const rule: ListRule = Array.isArray(declared) ? { exactly: declared } : (declared as unknown as ListRule);
  const has = (tags: readonly string[] = []) =>
    tags.some((tag) => tag.toLowerCase() === wanted.toLowerCase());
  if ('exactly' in rule) return has(rule.exactly) && !has(rule.except) ? 'yes' : 'no';
  if (has(rule.add)) return 'yes';
  return has(rule.remove) ? 'no' : 'live';
}

function hasBinding(
  wanted: readonly [string, string | null],
  { 'tag-bindings': own, 'inherited-tag-bindings': handedDown }: Values,
  { parent, ...spelling }: BindingContext & { readonly parent: ProjectResource | undefined },
): DeclaredMatch {
  const found = bindingIn(own, wanted, spelling);
  if (found !== 'absent') return found;
  const inherited = bindingIn(handedDown ?? parent?.attributes['tag-bindings'], wanted, spelling);
  return inherited === 'absent' ? 'no' : inherited;
}

interface BindingContext {
  readonly fold: (text: string) => string;
  /** How a key counts of which no file decides. */
  readonly undeclared: 'live' | 'absent';
}

function bindingIn(
  declared: unknown,
  [key, value]: readonly [string, string | null],
  { fold, undeclared }: BindingContext,
): DeclaredMatch | 'absent' {
  if (!isRecord(declared)) return undeclared;
  const rule = isBindingForm(declared)
    ? (declared as unknown as BindingRule)
    : { exactly: declared as TagBindings };
  const bindings = 'exactly' in rule ? rule.exactly : rule.add;
  const same = Object.entries(bindings).find(([one]) => fold(one) === fold(key));
  if (same) return (same[1] && fold(same[1])) === (value && fold(value)) ? 'yes' : 'no';
  return 'exactly' in rule || rule.remove.includes(key) ? 'absent' : undeclared;
}
