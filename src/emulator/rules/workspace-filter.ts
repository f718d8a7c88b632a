import { matchesWildcard } from '../../model/selector.ts';
import type { StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';
import { bindingsInEffect, type EffectiveBinding } from './tag-rules.ts';

type Test = (workspace: StoredWorkspace) => boolean;

export function workspaceFilter(query: URLSearchParams, world: World): Test | undefined {
  const tests = [...searchTests(query), ...filterTests(query), ...tagFilters(query, world)];
  return tests.length === 0 ? undefined : (workspace) => tests.every((test) => test(workspace));
}

function* searchTests(query: URLSearchParams): Generator<Test> {
  const name = query.get('search[name]')?.toLowerCase();
  if (name) yield (workspace) => workspace.name.toLowerCase().includes(name);
  const wildcard = query.get('search[wildcard-name]')?.toLowerCase();
  if (wildcard) yield (workspace) => matchesWildcard(wildcard, workspace.name.toLowerCase());
  const tags = commaList(query.get('search[tags]'));
  if (tags.length > 0) yield (workspace) => tags.every((tag) => workspace.tags.includes(tag));
  const excluded = commaList(query.get('search[exclude-tags]'));
  if (excluded.length > 0) yield (workspace) => !excluded.some((tag) => workspace.tags.includes(tag));
}

function* filterTests(query: URLSearchParams): Generator<Test> {
  const project = query.get('filter[project][id]');
  if (project) yield (workspace) => workspace.project === project;
  const statuses = commaList(query.get('filter[current-run][status]'));
  if (statuses.length > 0) {
    yield (workspace) => workspace.run !== null && statuses.includes(workspace.run.status);
  }
}

function* tagFilters(query: URLSearchParams, world: World): Generator<Test> {
  for (const { key, value } of taggedParameters(query))
    yield (workspace) => isTagged(world, workspace, key, value);
}

interface Tagged {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
}

/** `filter[tagged][i][key]` and `[value]`: those of one index belong together, all indexes must match. */
export function taggedParameters(query: URLSearchParams): readonly Tagged[] {
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
function isTagged(world: World, workspace: StoredWorkspace, key?: string, value?: string): boolean {
  const isFlat = world.dialect === 'iac' && !value && key !== undefined && workspace.tags.includes(key);
  return (
    isFlat || bindingsInEffect(world.store, workspace).some((binding) => isBoundAs(binding, { key, value }))
  );
}

/** An empty value matches any. */
export function isBoundAs(binding: EffectiveBinding, { key, value }: Tagged): boolean {
  return (!value || binding.value === value) && (key === undefined || binding.key === key);
}

function commaList(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
