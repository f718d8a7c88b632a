import { relative } from 'node:path';
import { knownFields } from '../desired/explain.ts';
import { type AliasKind, aliasKinds, kindOfId, referencePaths } from '../model/alias-kind.ts';
import { listPaths, nestedAttributes } from '../model/attributes.ts';
import { aliasOf, type Configuration, hasConsumersOfLayer } from '../model/configuration.ts';
import { slashed } from '../model/files.ts';
import { noHoldRules } from '../model/hold.ts';
import { onlyDialect, permissionPaths } from '../model/permissions.ts';
import type { Receiver } from '../model/receiver.ts';
import { mapSelectorProjects, type Selector } from '../model/selector.ts';
import {
  type Declared,
  type GrantResource,
  namesOfGrant,
  type ProjectResource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { asBindingRule } from '../model/tag-bindings.ts';
import { isRecord, type Value } from '../model/value.ts';

/** A root file as data, without includes, defaults, templates and roles, whose plan is the same. */
export type RenderedConfiguration = Readonly<Record<string, Value>>;

export interface RenderSelection {
  /** The rendered addresses. A part of them has no `prune`, which would delete the others. @default all */
  readonly chosen?: (address: string) => boolean;
}

/** The effective desired state: each resource with all of its values, and the settings of the root file. */
export function renderConfiguration(
  configuration: Configuration,
  { chosen }: RenderSelection = {},
): RenderedConfiguration {
  const context = contextOf(configuration);
  const resources = [...configuration.desired.resources.values()].filter(
    ({ address }) => chosen?.(address) ?? true,
  );
  const workspaces = resourcesOf(resources, 'workspace');
  const grants = resourcesOf(resources, 'team-access');
  const templates = Object.fromEntries(workspaces.flatMap((workspace) => templatesOf(workspace, context)));
  return {
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
    ...section('scope', scopeSection(context)),
    ...(chosen === undefined && section('prune', pruneOf(configuration))),
    ...section('limits', limitsOf(configuration)),
    ...section('guards', guardsOf(context)),
    ...renderedHolds(context),
    ...(configuration.notify?.length && { notify: configuration.notify.map(receiverValue) }),
    ...(configuration.policies?.length && { policies: configuration.policies.map(policyValue) }),
  };
}

interface RenderContext {
  readonly configuration: Configuration;
  /** The names that are looked up, by their placeholders. */
  readonly names: ReadonlyMap<string, string>;
  /** A reference as the file accepts it: an id, or the alias or name that is looked up. */
  readonly written: (kind: AliasKind, id: string) => string;
}

function contextOf(configuration: Configuration): RenderContext {
  const { aliases, lookUps } = configuration;
  const names = new Map(lookUps.map(({ placeholder, name }) => [placeholder, name]));
  return {
    configuration,
    names,
    written(kind, id) {
      const name = names.get(id);
      if (name === undefined && kindOfId(id) === kind) return id;
      const alias = aliasOf(aliases, kind, id);
      return alias === id ? (name ?? id) : alias;
    },
  };
}

function section(name: string, values: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const given = plainRecord(values);
  return Object.keys(given).length === 0 ? {} : { [name]: given };
}

function serviceOf({ service, folder }: Configuration): Record<string, Value | undefined> {
  const { data, seed, without, ...rest } = service;
  const path = (file: string | undefined) => file && slashed(relative(folder, file));
  return { ...rest, without: without && [...without], data: path(data), seed: path(seed) };
}

function aliasSections(managed: readonly ProjectResource[], context: RenderContext): Record<string, Value> {
  const { configuration, names } = context;
  const resources = new Map(managed.map((project) => [project.name, project]));
  return Object.fromEntries(
    aliasKinds.flatMap((kind) => {
      const entries = [...configuration.aliases[kind]].map(([alias, id]): [string, Value] => {
        const project = kind === 'projects' ? resources.get(alias) : undefined;
        const name = names.get(id);
        if (project) return [alias, managedProject(project, name === undefined, context)];
        return [alias, name === undefined ? id : { name }];
      });
      return entries.length === 0 ? [] : [[kind, Object.fromEntries(entries)]];
    }),
  );
}

function managedProject(
  { id, attributes, declared }: ProjectResource,
  hasId: boolean,
  context: RenderContext,
): Value {
  const { 'tag-bindings': bindings, ...values } = attributes;
  const { 'default-agent-pool': pool } = values;
  return plainRecord({
    ...(hasId && { id }),
    ...values,
    ...(pool && { 'default-agent-pool': context.written('agent-pools', pool) }),
    manage: true,
    'tag-bindings': bindings && bindingsValue(bindings as Value),
    'renamed-from': declared?.renamedFrom,
    protect: declared?.protect,
    state: declared?.absent && 'absent',
  });
}

function plainRecord(values: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

function workspaceValue(workspace: WorkspaceResource, context: RenderContext): Value {
  const { declared, attributes } = workspace;
  if (declared?.absent) return plainRecord({ state: 'absent', delete: declared.absent });
  const value: Record<string, Value> = {};
  const [template, ...others] = templatesOf(workspace, context).map(([name]) => name);
  if (template !== undefined) value.extends = others.length > 0 ? [template, ...others] : template;
  if (declared?.renamedFrom !== undefined) value['renamed-from'] = declared.renamedFrom;
  if (declared?.protect !== undefined) value.protect = declared.protect;
  const order = Object.keys(attributes).sort((a, b) => knownFields.indexOf(a) - knownFields.indexOf(b));
  for (const path of order) {
    const attribute = attributes[path];
    if (attribute === undefined) continue;
    const written = isListRule(path, attribute)
      ? listLayers(path, attribute, workspace, context).at(-1)
      : attributeValue(path, attribute, context);
    if (written === undefined) continue;
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
    default:
      return value;
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

type WrittenRule = Partial<Record<'exactly' | 'except' | 'add' | 'remove', readonly Value[]>> & Value;

function isListRule(path: string, value: Value): value is WrittenRule {
  return listPaths.has(path) && isRecord(value);
}

/**
 * What the two templates and the workspace declare for a list. One layer cannot declare an exact list with exceptions.
 * Consumers of a layer stay in one, because live sharing makes them ineffective and is an error for those of a workspace.
 */
function listLayers(
  path: string,
  { exactly, except, add = [], remove = [] }: WrittenRule,
  { address }: WorkspaceResource,
  context: RenderContext,
): readonly (Value | undefined)[] {
  const items = (list: readonly Value[]) => list.map((item) => itemValue(item, context));
  const removed = except && { remove: items(except) };
  const list = exactly
    ? { exactly: items(exactly) }
    : { add: items(add), ...(remove.length > 0 && { remove: items(remove) }) };
  if (path === 'remote-state-consumers' && hasConsumersOfLayer(address, context.configuration))
    return [list, removed, undefined];
  if (removed) return [list, undefined, removed];
  return [undefined, undefined, list.exactly ?? list];
}

function itemValue(item: Value, context: RenderContext): Value {
  return isRecord(item) ? selectorValue(item as Selector, context) : item;
}

function selectorValue(selector: Selector, { written }: RenderContext): Value {
  return mapSelectorProjects(selector, (id) => written('projects', id)) as Value;
}

function templatesOf(
  workspace: WorkspaceResource,
  context: RenderContext,
): [string, Record<string, Value>][] {
  const lists = Object.entries(workspace.attributes).flatMap(([path, value]) =>
    value !== undefined && isListRule(path, value)
      ? [[path, listLayers(path, value, workspace, context)] as const]
      : [],
  );
  // Lowest first.
  return ['lists', 'removals'].flatMap((suffix, index): [string, Record<string, Value>][] => {
    const template = plainRecord(Object.fromEntries(lists.map(([path, layers]) => [path, layers[index]])));
    return Object.keys(template).length > 0 ? [[`${workspace.name}-${suffix}`, template]] : [];
  });
}

function teamAccess(
  grants: readonly GrantResource[],
  { grantProjectLocations }: Configuration,
  isWhole: boolean,
): Record<string, Value> {
  const projects: Record<string, Record<string, Value>> = {};
  for (const project of isWhole ? (grantProjectLocations?.keys() ?? []) : []) projects[project] = {};
  for (const grant of grants) {
    const { project, team } = namesOfGrant(grant.name);
    projects[project] = { ...projects[project], [team]: grantValue(grant) };
  }
  return projects;
}

function grantValue({ attributes, declared }: GrantResource): Value {
  if (declared?.absent) return 'none';
  const { access = 'custom' } = attributes;
  if (access !== 'custom') return withEnding(access, declared);
  const groups: Record<string, Record<string, Value>> = {};
  for (const path of permissionPaths) {
    const value = attributes[path];
    // Only some services have it, so it is written only if the files name it.
    if (value === undefined || (onlyDialect(path) && !declared?.locations?.[path])) continue;
    const [group = '', key = ''] = path.split('.');
    groups[group] = { ...groups[group], [key]: value };
  }
  return withEnding({ access, ...groups }, declared);
}

/** A level alone if nothing else is declared beside it. */
function withEnding(value: Value, { until, reason }: Pick<Declared, 'until' | 'reason'> = {}): Value {
  if (until === undefined && reason === undefined) return value;
  const ending = { ...(until && { until: until.written }), ...(reason !== undefined && { reason }) };
  return isRecord(value) ? { ...value, ...ending } : { access: value, ...ending };
}

function renderedHolds(context: RenderContext): Record<string, Value> {
  const { exceptions, freeze } = context.configuration.holds ?? noHoldRules;
  const sections = {
    exceptions: exceptions.map(({ address, field, value, reason, until }) => ({
      ...{ address, field, ...(value !== undefined && { value }), reason },
      until: until.written,
    })),
    freeze: freeze.map(({ written, reason, select }) => ({
      ...written,
      reason,
      ...(select && { select: selectorValue(select, context) }),
    })),
  };
  return Object.fromEntries(Object.entries(sections).filter(([, entries]) => entries.length > 0));
}

function scopeSection({
  configuration: { scope },
  written,
}: RenderContext): Record<string, Value | undefined> {
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
  const { deletes, deletePercent, revokes, updates, updatePercent, exceptionDays } = limits;
  return {
    deletes,
    'delete-percent': deletePercent,
    revokes,
    updates,
    'update-percent': updatePercent,
    'exception-days': exceptionDays,
  };
}

function guardsOf(context: RenderContext): Record<string, Value | undefined> {
  const { protect, keepAdmin = [], keepSelf } = context.configuration.guards;
  const teams = keepAdmin.flatMap((guard) => [...guard.teams.keys()]);
  return {
    protect: protect.length > 0 ? protect.map(({ selector }) => selectorValue(selector, context)) : undefined,
    'keep-admin': teams.length > 0 ? teams.map((id) => context.written('teams', id)) : undefined,
    'keep-self': keepSelf && true,
  };
}

function receiverValue({ to, urlEnv, secretEnv, on }: Receiver): Value {
  return plainRecord({ to, 'url-env': urlEnv, 'secret-env': secretEnv, on: [...on] });
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
