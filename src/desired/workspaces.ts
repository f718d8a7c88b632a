import { isAttributePath, listPaths, nestedAttributes } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { countingLists, type DeclaredLayers, type Fields, noLayers } from '../model/fields.ts';
import { type BindingRule, type ListRule, mapListRule } from '../model/list-rule.ts';
import { type ConsumerRef, type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import { isRecord, type Value, withoutUndefined } from '../model/value.ts';
import type { AllDeclarations, Declaration } from './declarations.ts';
import { readLayer, readUnmanaged } from './overlay-fields.ts';
import { type Loading, reporter } from './problems.ts';
import type { ReadContext } from './references.ts';
import { checkTombstone, checkWorkspace, withoutIgnored } from './rules/workspace-rules.ts';
import type { RawLayer } from './schema/layer-schema.ts';
import { checkBindingCount } from './tag-bindings.ts';
import type { createLayers } from './templates.ts';

interface WorkspaceContext extends ReadContext {
  readonly layers: ReturnType<typeof createLayers>;
  readonly dialect: Dialect | undefined;
  readonly layered: Map<string, DeclaredLayers>;
}

export function declaredWorkspaces(
  declared: AllDeclarations['workspaces'],
  context: WorkspaceContext,
): readonly WorkspaceResource[] {
  const tombstones = new Map<string, SourceLocation>();
  for (const [name, { value, location }] of declared)
    if (value?.state === 'absent') tombstones.set(name, location);
  return [...declared].flatMap(([name, declaration]) =>
    declaration.value ? readWorkspace(name, declaration, tombstones, context) : [],
  );
}

function readWorkspace(
  name: string,
  declaration: Declaration<RawLayer>,
  tombstones: ReadonlyMap<string, SourceLocation>,
  context: WorkspaceContext,
): WorkspaceResource {
  const { loading, layered, dialect } = context;
  const { value: layer = {} } = declaration;
  const address = workspaceAddress(name);
  const resource = { kind: 'workspace', address, name, location: declaration.location } as const;
  if (tombstones.has(name)) {
    checkTombstone(layer, { address, base: context.layers.baseOf(layer).fields, loading });
    return { ...resource, attributes: {}, declared: { absent: layer.delete ?? 'safe' } };
  }
  const layers = workspaceLayers(name, declaration, context);
  const { fields, removed } = layers;
  layered.set(address, layers);
  checkWorkspace({ name, address, fields, removed }, { loading, dialect, tombstones });
  const bound = fields.get('tag-bindings');
  if (bound?.value) checkBindingCount(bound.value as BindingRule, bound.location, reporter(loading, address));
  const protect = fields.get('protect')?.value;
  return {
    ...resource,
    attributes: valuesOf(fields, name),
    declared: withoutUndefined({
      renamedFrom: layer['renamed-from'],
      protect: typeof protect === 'boolean' ? protect : undefined,
      locations: placesOf(layer, fields, loading),
    }),
  };
}

function workspaceLayers(
  name: string,
  { value: layer = {}, location }: Declaration<RawLayer>,
  { layers, loading, references }: WorkspaceContext,
): DeclaredLayers {
  const address = workspaceAddress(name);
  const context = { layer: 'workspace', address, loading, references } as const;
  const own = readLayer(layer, context);
  const stops = readUnmanaged(layer, own, context);
  const { all, extended, selected } = layers.layersOf(name, layer, { ...noLayers, fields: own, stops });
  return {
    ...withoutIgnored(all, address, loading),
    location,
    extends: extended,
    selected: selected.length > 0 ? selected : undefined,
  };
}

function valuesOf(fields: Fields, name: string): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [path, { value }] of fields) {
    if (value === undefined || path === 'protect') continue;
    if (path === 'remote-state-consumers') values[path] = withoutSelf(value as ConsumerRule, name);
    // An exact list is the value of the attribute; only a rule that changes the live one stays a rule.
    else if (isAttributePath(path) && listPaths.has(path) && isRecord(value))
      values[path] = value.exactly ?? value;
    else values[path] = value;
  }
  return values;
}

type ConsumerItems = readonly (ConsumerRef & Value)[];
type ConsumerRule = ListRule<ConsumerRef & Value>;

/** A list of a layer leaves the workspace itself out. Where its own list names it, that is an error already. */
function withoutSelf(rule: ConsumerRule, name: string): ConsumerRule {
  const others = (items: ConsumerItems) => items.filter((item) => item !== name);
  return mapListRule(rule, others, (items) => items);
}

function placesOf(layer: RawLayer, fields: Fields, { origins }: Loading): Record<string, SourceLocation> {
  const places: Record<string, SourceLocation> = {};
  for (const [path, field] of fields) {
    const { location } = field;
    places[path] = location;
    for (const { list } of path === 'remote-state-consumers' ? countingLists(field) : [])
      for (const [index, entry] of list.items.entries())
        if (typeof entry === 'string') places[`${path} ${entry}`] = list.locate(index);
    const dot = path.indexOf('.');
    if (dot > 0) places[path.slice(0, dot)] ??= location;
  }
  for (const key of ['renamed-from', ...nestedAttributes])
    if (Object.hasOwn(layer, key)) places[key] = origins.atKey(layer, key);
  return places;
}
