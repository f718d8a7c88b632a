import type { Dialect } from '../../model/dialect.ts';
import type { TagBindings } from '../../model/list-rule.ts';
import { matchesWildcard } from '../../model/selector.ts';
import { isRecord } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';
import {
  identifier,
  type Store,
  type StoredProject,
  type StoredTag,
  type StoredWorkspace,
} from '../store/store.ts';
import type { World } from '../world.ts';
import type { InputResource } from './request-document.ts';

const liveTag = /^[a-z0-9](?:[a-z0-9_:-]*[a-z0-9])?$/;
const longest = 255;

/** A tag as it is stored: the live service silently lower-cases it, the interface document does not. */
export function storedTagName(name: string, dialect: Dialect): string {
  return dialect === 'terraform' ? name.toLowerCase() : name;
}

export function tagNameProblem(name: string, dialect: Dialect): string | undefined {
  if (name.trim() === '') return "can't be blank";
  if (name.length > longest) return `is too long (maximum is ${longest} characters)`;
  if (dialect === 'terraform' && !liveTag.test(name))
    return 'Tags must only contain letters, numbers, colons, hyphens and underscores';
  return undefined;
}

export function createTags(world: World, organization: string, names: readonly string[]): readonly string[] {
  const { store, now } = world;
  for (const name of new Set(names)) {
    if (store.named(organization, 'tags', name)) continue;
    const id = store.nextId('tag', `${organization}/${name}`);
    store.put('tags', { id, organization, name, createdAt: now() } satisfies StoredTag);
  }
  return [...new Set(names)];
}

/** A tag without workspaces is removed from the organization's list. */
export function dropUnusedTags({ store }: World, organization: string, names: Iterable<string>): void {
  for (const name of names) {
    const tag = store.named(organization, 'tags', name);
    if (tag && store.countTagged(organization, name) === 0) store.remove('tags', tag.id);
  }
}

/** The live service accepts flat tags in a create, and key-value tags in both writes. The interface has neither. */
export function readRelatedTags(resource: InputResource, dialect: Dialect) {
  if (dialect === 'iac') return { errors: [] };
  const errors: ErrorObject[] = [];
  const tags = attributesOf(resource, 'tags')?.map((attributes, index) => {
    const name = storedTagName(String(attributes.name ?? ''), dialect);
    const problem = tagNameProblem(name, dialect);
    if (problem) errors.push(invalid(`/data/relationships/tags/data/${index}/attributes/name`, problem));
    return name;
  });
  const bindings = attributesOf(resource, 'tag-bindings');
  return { tags: tags && [...new Set(tags)], bindings: bindings && readBindings(bindings, errors), errors };
}

const mostBindings = 10;
/** Prefixes that the live service reserves. */
const reservedPrefix = /^(?:hc|hcp|ibm):/i;
const wrongBinding = (detail: string) => invalid('/data/relationships/tag-bindings', detail);

export function readBindings(
  entries: readonly Readonly<Record<string, unknown>>[],
  errors: ErrorObject[],
  before: TagBindings = {},
): TagBindings {
  // A map, because a key can be `__proto__`.
  const bindings = new Map(Object.entries(before));
  for (const { key, value } of entries) {
    if (typeof key !== 'string' || !/^[\w.=+@:-]{1,128}$/.test(key))
      errors.push(wrongBinding('a key must have 1 to 128 letters, numbers or _ . = + - @ :'));
    else if (reservedPrefix.test(key)) errors.push(wrongBinding(`the prefix of the key ${key} is reserved`));
    else bindings.set(key, typeof value === 'string' && value !== '' ? value : null);
  }
  if (bindings.size > mostBindings)
    errors.push(wrongBinding(`cannot exceed ${mostBindings} bindings per resource`));
  return Object.fromEntries(bindings);
}

function attributesOf(
  resource: InputResource,
  name: string,
): readonly Readonly<Record<string, unknown>>[] | undefined {
  const relationship = resource.relationships[name];
  if (!isRecord(relationship) || !Array.isArray(relationship.data)) return undefined;
  return relationship.data.map((item: unknown) =>
    isRecord(item) && isRecord(item.attributes) ? item.attributes : {},
  );
}

export interface EffectiveBinding {
  readonly id: string;
  readonly key: string;
  readonly value: string | null;
  readonly inheritedFrom?: string;
}

export function storedBindings(record: StoredWorkspace | StoredProject): EffectiveBinding[] {
  return Object.entries(record.bindings ?? {}).map(([key, value]) => ({
    id: identifier('tb', `${record.id}/${key}`, 0),
    key,
    value,
  }));
}

export function bindingsInEffect(store: Store, workspace: StoredWorkspace): EffectiveBinding[] {
  const project = store.get('projects', workspace.project);
  const inherited = (project ? storedBindings(project) : [])
    .filter(({ key }) => !Object.hasOwn(workspace.bindings, key))
    .map((binding) => ({ ...binding, inheritedFrom: workspace.project }));
  return [...storedBindings(workspace), ...inherited];
}

type Test = (workspace: StoredWorkspace) => boolean;

export function workspaceFilter(query: URLSearchParams, world: World): Test | undefined {
  const all = [...tests(query, world)];
  return all.length === 0 ? undefined : (workspace) => all.every((test) => test(workspace));
}

function* tests(query: URLSearchParams, world: World): Generator<Test> {
  const name = query.get('search[name]')?.toLowerCase();
  if (name) yield (workspace) => workspace.name.toLowerCase().includes(name);
  const wildcard = query.get('search[wildcard-name]')?.toLowerCase();
  if (wildcard) yield (workspace) => matchesWildcard(wildcard, workspace.name.toLowerCase());
  const tags = commaList(query.get('search[tags]'));
  if (tags.length > 0) yield (workspace) => tags.every((tag) => workspace.tags.includes(tag));
  const excluded = commaList(query.get('search[exclude-tags]'));
  if (excluded.length > 0) yield (workspace) => !excluded.some((tag) => workspace.tags.includes(tag));
  const project = query.get('filter[project][id]');
  if (project) yield (workspace) => workspace.project === project;
  const statuses = commaList(query.get('filter[current-run][status]'));
  if (statuses.length > 0)
    yield (workspace) => workspace.run !== null && statuses.includes(workspace.run.status);
  for (const tagged of taggedParameters(query)) yield (workspace) => isTagged(world, workspace, tagged);
}

type Tagged = Partial<Record<'key' | 'value', string>>;

/** `filter[tagged][i][key]` and `[value]`: those of one index belong together, all indexes must match. */
function taggedParameters(query: URLSearchParams): readonly Tagged[] {
  const wanted = new Map<string, Tagged>();
  for (const [name, value] of query) {
    const part = /^filter\[tagged\]\[(\d+)\]\[(key|value)\]$/.exec(name);
    if (part) wanted.set(part[1] ?? '', { ...wanted.get(part[1] ?? ''), [part[2] ?? '']: value });
  }
  return [...wanted.values()];
}

/**
 * Flat tags and key-value tags are separate on the live service; the interface document does not distinguish them.
 * Inherited bindings count.
 */
function isTagged({ dialect, store }: World, workspace: StoredWorkspace, tagged: Tagged): boolean {
  const { key, value } = tagged;
  const isFlat = dialect === 'iac' && !value && key !== undefined && workspace.tags.includes(key);
  return isFlat || isBoundAs(bindingsInEffect(store, workspace), tagged);
}

export function bindingFilter(query: URLSearchParams): (bindings: readonly EffectiveBinding[]) => boolean {
  const wanted = taggedParameters(query);
  return (bindings) => wanted.every((tagged) => isBoundAs(bindings, tagged));
}

/** An empty value matches any. */
function isBoundAs(bindings: readonly EffectiveBinding[], { key, value }: Tagged): boolean {
  return bindings.some(
    (binding) => (!value || binding.value === value) && (key === undefined || binding.key === key),
  );
}

function commaList(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
