import { nestedAttributes } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { namesOfGrant, type Resource } from '../model/state.ts';
import { bindingText } from '../model/tag-bindings.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Configuration } from './configuration.ts';
import { type ExplainedField, explain, isSameEntry } from './explain.ts';

/** Keys and indexes from the top of a document. */
export type DocumentPath = readonly (string | number)[];

/** A value with the line that declares it. */
export interface RenderedOrigin {
  /** Where it is in the document. */
  readonly at: DocumentPath;
  readonly value: Value;
  readonly layer: string;
  /** Absent for a permission that no line names. */
  readonly location?: SourceLocation;
}

/** A declared value with the lines of its entries, if it is a list. */
export interface RenderedField extends RenderedOrigin {
  readonly path: string;
  readonly entries: readonly RenderedOrigin[];
}

/** A resource with its effective values. */
export interface RenderedResource {
  readonly address: string;
  readonly fields: readonly RenderedField[];
}

/** The values of a resource with their origins, as {@link explain} has them. */
export function renderedResource(
  resource: Resource,
  document: Readonly<Record<string, Value>>,
  configuration: Configuration,
): RenderedResource {
  const { address } = resource;
  const { fields } = explain(configuration, address);
  const base = pathOf(resource);
  return {
    address,
    fields: fields.flatMap((field): RenderedField[] => {
      const { path, layer, location, voidedBy } = field;
      const templates = templateNames(resource.name).map((name) => ['templates', name, path]);
      const placed = [...templates, fieldPath(resource, base, path)].flatMap((at): Placed[] => {
        const value = valueAt(document, at);
        return value === undefined ? [] : [{ at, value }];
      });
      const top = placed.at(-1);
      if (voidedBy !== undefined || top === undefined) return [];
      const about = { ...top, layer, ...(location && { location }) };
      return [{ path, ...about, entries: placed.flatMap((list) => entriesOf(field, list)) }];
    }),
  };
}

function pathOf(resource: Resource): DocumentPath {
  switch (resource.kind) {
    case 'workspace':
      return ['workspaces', resource.name];
    case 'project':
      return ['projects', resource.name];
    case 'team-access': {
      const { project, team } = namesOfGrant(resource.name);
      return ['team-access', project, team];
    }
    default:
      return resource satisfies never;
  }
}

/** The level of a grant is the value itself, unless it is `custom`. */
function fieldPath({ kind, attributes, declared }: Resource, base: DocumentPath, path: string): DocumentPath {
  if (kind === 'workspace') return [...base, ...keysOf(path)];
  if (kind === 'project') return [...base, path];
  return attributes.access === 'custom' && !declared?.absent ? [...base, ...path.split('.')] : base;
}

function valueAt(document: Value, path: DocumentPath): Value | undefined {
  return path.reduce<Value | undefined>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, Value>)[key]
        : undefined,
    document,
  );
}

interface Placed {
  readonly at: DocumentPath;
  readonly value: Value;
}

/** The entries of a rendered list, each with the line that declares it. */
function entriesOf({ entries }: ExplainedField, { at, value }: Placed): RenderedOrigin[] {
  if (entries.length === 0) return [];
  return itemsOf(value, at).flatMap(({ text, isRemoved, ...item }): RenderedOrigin[] => {
    const found = entries.findLast(
      ({ entry, effect }) => (effect === 'remove') === isRemoved && isSameEntry(text ?? item.value, entry),
    );
    return found ? [{ ...item, layer: found.layer, location: found.location }] : [];
  });
}

interface Item extends Placed {
  /** A key/value tag as an entry of a list. */
  readonly text?: string;
  readonly isRemoved: boolean;
}

function itemsOf(value: Value, at: DocumentPath, isRemoved = false): readonly Item[] {
  if (Array.isArray(value))
    return value.map((item: Value, index) => ({ at: [...at, index], value: item, isRemoved }));
  if (!isRecord(value)) return [];
  const { exactly, add, remove } = value as Readonly<Record<string, Value>>;
  if (Array.isArray(exactly)) return itemsOf(exactly, [...at, 'exactly']);
  if (Array.isArray(remove) || isRecord(add) || Array.isArray(add)) {
    return [
      ...(add === undefined ? [] : itemsOf(add, [...at, 'add'])),
      ...(remove === undefined ? [] : itemsOf(remove, [...at, 'remove'], true)),
    ];
  }
  return Object.entries(value as Readonly<Record<string, string | null>>).map(([key, tag]) => ({
    at: [...at, key],
    value: tag,
    text: bindingText(key, tag),
    isRemoved,
  }));
}

/** `vcs-repo.branch` is a key of a mapping. */
export function keysOf(path: string): readonly string[] {
  const dot = path.indexOf('.');
  const group = path.slice(0, dot);
  return dot > 0 && (nestedAttributes as readonly string[]).includes(group)
    ? [group, path.slice(dot + 1)]
    : [path];
}

/** The templates below a rendered workspace, lowest first, if it needs them. */
export function templateNames(workspace: string): readonly string[] {
  return [`${workspace}-lists`, `${workspace}-removals`];
}
