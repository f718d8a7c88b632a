import { relative } from 'node:path';
import { type AliasKind, aliasKinds, kindOfId, referencePaths } from '../model/alias-kind.ts';
import { nestedAttributes } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';
import { onlyDialect, permissionPaths } from '../model/permissions.ts';
import { mapSelectorProjects, type Selector } from '../model/selector.ts';
import {
  type GrantResource,
  type ListRule,
  type ProjectResource,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { asBindingRule, bindingText } from '../model/tag-bindings.ts';
import { isRecord, type Value } from '../model/value.ts';
import { aliasOf, type Configuration } from './configuration.ts';
import { type ExplainedField, explain, isSameEntry, knownFields } from './explain.ts';

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

/** A configuration without includes, defaults, templates and roles, whose plan is the same. */
export interface RenderedConfiguration {
  /** A root file as data. */
  readonly document: Readonly<Record<string, Value>>;
  readonly resources: readonly RenderedResource[];
}

export interface RenderOptions {
  /** The rendered addresses. A part of them has no `prune`, which would delete the others. @default all */
  readonly chosen?: (address: string) => boolean;
}

/** The effective desired state: each resource with all of its values, and the settings of the root file. */
export function renderConfiguration(
  configuration: Configuration,
  { chosen }: RenderOptions = {},
): RenderedConfiguration {
  const context = contextOf(configuration);
  const resources = [...configuration.desired.resources.values()].filter(
    ({ address }) => chosen?.(address) ?? true,
  );
  const workspaces = resourcesOf(resources, 'workspace');
  const grants = resourcesOf(resources, 'team-access');
  const templates = Object.fromEntries(workspaces.flatMap((workspace) => templatesOf(workspace, context)));
  const document: Record<string, Value> = {
    attune: 1,
    organization: configuration.desired.organization,
    ...section('service', serviceOf(configuration)),
    ...aliasSections(resourcesOf(resources, 'project'), context),
    ...section('templates', templates),
    ...section(
      'workspaces',
      Object.fromEntries(workspaces.map((workspace) => [workspace.name, workspaceValue(workspace, context)])),
    ),
    ...section('team-access', teamAccess(grants, configuration, chosen === undefined)),
    ...section('scope', scopeOf(context)),
    ...(chosen === undefined && section('prune', pruneOf(configuration))),
    ...section('limits', limitsOf(configuration)),
    ...section('guards', guardsOf(context)),
    ...(configuration.policies?.length && { policies: configuration.policies.map(policyValue) }),
  };
  return { document, resources: resources.map((resource) => renderedResource(resource, document, context)) };
}

interface RenderContext {
  readonly configuration: Configuration;
  /** A reference as the file accepts it: an id, or the alias or name that is looked up. */
  readonly written: (kind: AliasKind, id: string) => string;
}

function contextOf(configuration: Configuration): RenderContext {
  const { aliases, lookUps } = configuration;
  const names = new Map(lookUps.map(({ placeholder, name }) => [placeholder, name]));
  return {
    configuration,
    written(kind, id) {
      const name = names.get(id);
      if (name === undefined && kindOfId(id) === kind) return id;
      const alias = aliasOf(aliases, kind, id);
      return alias === id ? (name ?? id) : alias;
    },
  };
}

function section(name: string, values: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const given = Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return given.length === 0 ? {} : { [name]: Object.fromEntries(given) };
}

function serviceOf({ service, folder }: Configuration): Record<string, Value | undefined> {
  const { data, seed, without, ...rest } = service;
  const path = (file: string | undefined) => file && slashed(relative(folder, file));
  return { ...rest, without: without && [...without], data: path(data), seed: path(seed) };
}

function aliasSections(
  managed: readonly ProjectResource[],
  { configuration }: RenderContext,
): Record<string, Value> {
  const { aliases, lookUps } = configuration;
  const names = new Map(lookUps.map(({ placeholder, name }) => [placeholder, name]));
  const resources = new Map(managed.map((project) => [project.name, project]));
  return Object.fromEntries(
    aliasKinds.flatMap((kind) => {
      const entries = [...aliases[kind]].map(([alias, id]): [string, Value] => {
        const project = kind === 'projects' ? resources.get(alias) : undefined;
        const name = names.get(id);
        if (project) return [alias, managedProject(project, name === undefined)];
        return [alias, name === undefined ? id : { name }];
      });
      return entries.length === 0 ? [] : [[kind, Object.fromEntries(entries)]];
    }),
  );
}

function managedProject({ id, attributes, declared }: ProjectResource, hasId: boolean): Value {
  const { 'tag-bindings': bindings, ...values } = attributes;
  return plainRecord({
    ...(hasId && { id }),
    ...values,
    manage: true,
    'tag-bindings': bindings && bindingsValue(bindings as Value),
    'renamed-from': declared?.renamedFrom,
    protect: declared?.protect,
    state: declared?.absent && 'absent',
  });
}

function plainRecord(values: Readonly<Record<string, Value | undefined>>): Value {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

function workspaceValue(workspace: WorkspaceResource, context: RenderContext): Value {
  const { declared, attributes } = workspace;
  if (declared?.absent) return plainRecord({ state: 'absent', delete: declared.absent });
  const value: Record<string, Value> = {};
  const [template] = templatesOf(workspace, context);
  if (template) value.extends = template[0];
  if (declared?.renamedFrom !== undefined) value['renamed-from'] = declared.renamedFrom;
  if (declared?.protect !== undefined) value.protect = declared.protect;
  const order = Object.keys(attributes).sort((a, b) => knownFields.indexOf(a) - knownFields.indexOf(b));
  for (const path of order) {
    const attribute = attributes[path];
    if (attribute === undefined) continue;
    const written = attributeValue(path, attribute, context);
    const [group = path, key] = keysOf(path);
    if (key === undefined) value[group] = written;
    else
      value[group] = {
        ...(isRecord(value[group]) ? (value[group] as Record<string, Value>) : {}),
        [key]: written,
      };
  }
  return value;
}

/** `vcs-repo.branch` is a key of a mapping. */
function keysOf(path: string): readonly string[] {
  const dot = path.indexOf('.');
  const group = path.slice(0, dot);
  return dot > 0 && (nestedAttributes as readonly string[]).includes(group)
    ? [group, path.slice(dot + 1)]
    : [path];
}

function attributeValue(path: string, value: Value, context: RenderContext): Value {
  const kind = referencePaths[path];
  if (kind !== undefined && typeof value === 'string') return context.written(kind, value);
  switch (path) {
    case 'lock':
      return lockValue(value);
    case 'tag-bindings':
      return bindingsValue(value);
    case 'data-retention':
      return value;
    default:
      return isRecord(value) ? listValue(value as unknown as ListRule<Value>, context) : value;
  }
}

function lockValue(value: Value): Value {
  if (!isRecord(value) || value.locked !== true) return false;
  return typeof value.reason === 'string' ? { reason: value.reason } : true;
}

function bindingsValue(value: Value): Value {
  const rule = asBindingRule(value);
  if (rule === undefined) return value;
  if ('exactly' in rule) return rule.exactly;
  return { add: rule.add, ...(rule.remove.length > 0 && { remove: [...rule.remove] }) };
}

function listValue(rule: ListRule<Value>, context: RenderContext): Value {
  const items = (list: readonly Value[]) => list.map((item) => itemValue(item, context));
  // With exceptions, the template that the workspace extends declares the exact list.
  if ('exactly' in rule) return rule.except ? { remove: items(rule.except) } : items(rule.exactly);
  return { add: items(rule.add), ...(rule.remove.length > 0 && { remove: items(rule.remove) }) };
}

function itemValue(item: Value, { written }: RenderContext): Value {
  if (!isRecord(item)) return item;
  return mapSelectorProjects(item as Selector, (id) => written('projects', id)) as Value;
}

/** An exact list without what a selector matches: only a layer below the workspace can declare it. */
function templatesOf({ name, attributes }: WorkspaceResource, context: RenderContext): [string, Value][] {
  const lists = Object.entries(attributes).flatMap(([path, value]): [string, Value][] => {
    const rule = isRecord(value) ? (value as Partial<Record<'exactly' | 'except', readonly Value[]>>) : {};
    if (rule.exactly === undefined || rule.except === undefined) return [];
    const exactly = rule.exactly.map((item) => itemValue(item, context));
    return [[path, { exactly }]];
  });
  return lists.length === 0 ? [] : [[templateName(name), Object.fromEntries(lists)]];
}

function templateName(workspace: string): string {
  return `${workspace}-lists`;
}

function teamAccess(
  grants: readonly GrantResource[],
  { grantProjectLocations }: Configuration,
  isWhole: boolean,
): Record<string, Value> {
  const projects: Record<string, Record<string, Value>> = {};
  for (const project of isWhole ? (grantProjectLocations?.keys() ?? []) : []) projects[project] = {};
  for (const grant of grants) {
    const [project, team] = pairOf(grant);
    projects[project] = { ...projects[project], [team]: grantValue(grant) };
  }
  return projects;
}

/** As the file has them. */
function pairOf({ name }: GrantResource): readonly [project: string, team: string] {
  const slash = name.lastIndexOf('/');
  return [name.slice(0, slash), name.slice(slash + 1)];
}

function grantValue({ attributes, declared }: GrantResource): Value {
  if (declared?.absent) return 'none';
  const { access = 'custom' } = attributes;
  if (access !== 'custom') return access;
  const groups: Record<string, Record<string, Value>> = {};
  for (const path of permissionPaths) {
    const value = attributes[path];
    // Only some services have it, so it is written only if the files name it.
    if (value === undefined || (onlyDialect(path) && !declared?.locations?.[path])) continue;
    const [group = '', key = ''] = path.split('.');
    groups[group] = { ...groups[group], [key]: value };
  }
  return { access, ...groups };
}

function scopeOf({ configuration: { scope }, written }: RenderContext): Record<string, Value | undefined> {
  if (!scope) return {};
  const { projects, tags, names, tagged, adopt, enforce } = scope;
  return {
    projects: projects?.map((id) => written('projects', id)),
    tags: tags && [...tags],
    names: names && [...names],
    tagged,
    adopt: adopt.length > 0 ? [...adopt] : undefined,
    enforce: enforce ? undefined : false,
  };
}

function pruneOf({ prune }: Configuration): Record<string, Value> {
  return { workspaces: prune.workspaces, 'team-access': prune.teamAccess };
}

function limitsOf({ limits }: Configuration): Record<string, Value | undefined> {
  const { deletes, deletePercent, revokes, updates, updatePercent } = limits;
  return { deletes, 'delete-percent': deletePercent, revokes, updates, 'update-percent': updatePercent };
}

function guardsOf({ configuration: { guards }, written }: RenderContext): Record<string, Value | undefined> {
  const { protect, keepAdmin = [], keepSelf } = guards;
  const teams = keepAdmin.flatMap((guard) => [...guard.teams.keys()]);
  return {
    protect:
      protect.length > 0
        ? protect.map(
            ({ selector }) => mapSelectorProjects(selector, (id) => written('projects', id)) as Value,
          )
        : undefined,
    'keep-admin': teams.length > 0 ? teams.map((id) => written('teams', id)) : undefined,
    'keep-self': keepSelf && true,
  };
}

function policyValue({
  id,
  on,
  when,
  require,
  severity,
  message,
}: NonNullable<Configuration['policies']>[number]): Value {
  return plainRecord({ id, on, when: when?.text, require: require.text, severity, message });
}

/** The values of a resource with their origins, as {@link explain} has them. */
function renderedResource(
  resource: Resource,
  document: Readonly<Record<string, Value>>,
  { configuration }: RenderContext,
): RenderedResource {
  const { address } = resource;
  const { fields } = explain(configuration, address);
  const base = pathOf(resource);
  return {
    address,
    fields: fields.flatMap((field): RenderedField[] => {
      const { path, layer, location, voidedBy } = field;
      const at = fieldPath(resource, base, path);
      const value = valueAt(document, at);
      if (voidedBy !== undefined || value === undefined) return [];
      const about = { at, value, layer, ...(location && { location }) };
      const below: DocumentPath = ['templates', templateName(resource.name), path, 'exactly'];
      const lists = [
        { at: below, value: valueAt(document, below) ?? null },
        { at, value },
      ];
      return [{ path, ...about, entries: lists.flatMap((list) => entriesOf(field, list)) }];
    }),
  };
}

function pathOf(resource: Resource): DocumentPath {
  switch (resource.kind) {
    case 'workspace':
      return ['workspaces', resource.name];
    case 'project':
      return ['projects', resource.name];
    case 'team-access':
      return ['team-access', ...pairOf(resource)];
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
  const { add, remove } = value as Readonly<Record<string, Value>>;
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
