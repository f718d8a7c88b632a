import { workspaceFields } from '../desired/explain.ts';
import { literalName } from '../desired/mistyped.ts';
import { areDeclarable } from '../desired/tag-bindings.ts';
import { hasRepository, sameAttribute } from '../diff/fields.ts';
import { aliasKindTable } from '../model/alias-kind.ts';
import { executionModes, projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import type { PermissionPath } from '../model/attribute-values.ts';
import {
  destroyDuration,
  destroyTime,
  isAttributePath,
  isProjectPath,
  isRepositoryPath,
  modeFlag,
  poolFlag,
  projectPaths,
  referencePaths,
  workspaceNamePattern,
} from '../model/attributes.ts';
import { asBindingRule, asBindings } from '../model/list-rule.ts';
import { isPermissionPath, permissionPaths, permissions } from '../model/permissions.ts';
import { acceptsText } from '../model/rows.ts';
import {
  type GrantResource,
  grantAddress,
  isUnmistakableId,
  namesOfGrant,
  type ProjectResource,
  projectAddress,
  type Resource,
  type WorkspaceResource,
  type WorkspaceValues,
} from '../model/state.ts';
import { isRecord, noneIfEmpty, type Value, withoutUndefined } from '../model/value.ts';
import type { Entry, FileLabels } from './entry.ts';

export function declare(resource: Resource, labels: FileLabels): Entry {
  const entry = entryOf(resource, labels);
  const usual = [...entry.values.keys()].filter((path) => isUsual(entry, path));
  return { ...entry, usual: new Set(usual) };
}

type BareEntry = Omit<Entry, 'usual'>;

function isUsual({ kind, values }: BareEntry, path: string): boolean {
  const value = values.get(path) ?? null;
  if (kind === 'project') return isEmpty(value);
  if (kind === 'team-access') return isPermissionPath(path) && value === permissions[path].customDefault;
  // The flags follow from the mode and the pool, but for these.
  if (path === modeFlag) return value !== false;
  if (path === poolFlag)
    return value === false
      ? values.get('execution-mode') !== 'agent'
      : values.get(modeFlag) !== false || !values.get('agent-pool-id');
  if (!isAttributePath(path)) return isEmpty(value);
  const { createOnly, default: usual } = workspaceAttributes[path];
  // A create-only attribute has no effect on an existing workspace.
  return createOnly === true || sameAttribute(path, value, usual);
}

function isEmpty(value: Value): boolean {
  return value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}

function entryOf(resource: Resource, labels: FileLabels): BareEntry {
  switch (resource.kind) {
    case 'project':
      return declareProject(resource, labels);
    case 'workspace':
      return declareWorkspace(resource, labels);
    case 'team-access':
      return declareGrant(resource, labels);
    default:
      return resource satisfies never;
  }
}

function declareWorkspace({ address, name, attributes }: WorkspaceResource, labels: FileLabels): BareEntry {
  const values = new Map<string, Value>();
  const unfit = new Map<string, string>();
  for (const path of workspaceFields) {
    const held = labels.live ? isHeld(path, attributes, labels) : attributes[path] !== undefined;
    const value = held === true ? fileValue(path, attributes[path] ?? null, labels) : undefined;
    if (value !== undefined) values.set(path, value);
    else if (held !== false) unfit.set(path, held === true ? unknownId(path, attributes[path]) : held);
  }
  const isNamed = workspaceNamePattern.test(name);
  const refusal = isNamed ? undefined : 'its name has characters other than A-Z a-z 0-9 - _';
  return { kind: 'workspace', address, path: ['workspaces', name], values, unfit, refusal };
}

/** A value in the form of the configuration language. `undefined`: the id of something that files cannot refer to. */
function fileValue(path: string, value: Value, { of, live }: FileLabels): Value | undefined {
  const kind = referencePaths[path];
  if (kind !== undefined && typeof value === 'string' && value !== '') return of(kind, value);
  if (path === 'lock') {
    const { locked, reason } = isRecord(value) ? value : {};
    return locked === true && (typeof reason === 'string' ? { reason } : true);
  }
  if (!live) return path === 'tag-bindings' ? writtenBindings(value) : value;
  if (!Array.isArray(value)) return value === '' ? null : value;
  const isConsumers = path === 'remote-state-consumers';
  return value.map((item) => (isConsumers ? consumerOf(String(item), live.names) : String(item))).sort();
}

function writtenBindings(value: Value): Value {
  const rule = asBindingRule(value);
  if (rule === undefined) return value;
  if ('exactly' in rule) return rule.exactly;
  return withoutUndefined({ add: rule.add, remove: noneIfEmpty(rule.remove) });
}

/** By name; by id if the name is not valid in a file, or would be read as an id. */
function consumerOf(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name !== undefined && workspaceNamePattern.test(name) && !isUnmistakableId(name) ? name : id;
}

function unknownId(path: string, id: Value | undefined): string {
  const kind = referencePaths[path];
  return kind === undefined ? '' : `${id} is not the id of a known ${aliasKindTable[kind].noun}`;
}

/**
 * Whether a file can hold a live value so that a plan shows no difference. `false`: other keys decide it. A text: it
 * cannot, and why, if that is worth a report.
 */
function isHeld(path: string, attributes: WorkspaceValues, labels: FileLabels): boolean | string {
  const own = rules[path]?.(attributes, labels) ?? true;
  const value = attributes[path];
  if (own !== true) return own;
  if (isRepositoryPath(path) && !hasRepository({ attributes })) return false;
  if (Array.isArray(value) && value.includes('')) return 'the list has an empty entry';
  if (/^(?:tags|vcs-repo\.(?:identifier|branch))$/.test(path) && [value].flat().some(literalName))
    return `no file can have a name with \${...}`;
  const isBlank = value === undefined || value === null || value === '';
  return !isBlank || !isAttributePath(path) || workspaceAttributes[path].nullable || '';
}

type Rule = (attributes: WorkspaceValues, labels: FileLabels) => boolean | string;

/** The settings that depend on others, or of which some values have no form in a file. */
const rules: Readonly<Partial<Record<string, Rule>>> = {
  project: ({ project }) => project !== undefined || '',
  operations: () => false,
  // An inherited mode is not declared, because it would become the workspace's own. Its flag is.
  'execution-mode': (attributes, labels) => {
    if (attributes[modeFlag] === false) return false;
    if (!hasKnownMode(attributes)) return '';
    const needsPool = attributes['execution-mode'] === 'agent' && attributes[poolFlag] !== false;
    return !needsPool || hasPool(attributes, labels) || 'it is agent, but the service returns no valid pool';
  },
  'agent-pool-id': (attributes, labels) => {
    const { 'agent-pool-id': pool, [modeFlag]: ownMode, [poolFlag]: ownPool } = attributes;
    const isAgent = attributes['execution-mode'] === 'agent';
    if (ownMode !== false && !isAgent) return (hasKnownMode(attributes) && !pool) || '';
    if (ownMode === false && ownPool !== true) return false;
    if (ownMode === false && isTerraform(labels))
      return pool ? 'this dialect does not accept it together with an inherited execution-mode' : '';
    return (ownPool !== false && isAgent && hasPool(attributes, labels)) || '';
  },
  [modeFlag]: (attributes) => typeof attributes[modeFlag] === 'boolean' || '',
  [poolFlag]: (attributes, labels) => {
    // The live service requires equal flags.
    const { [modeFlag]: ownMode, [poolFlag]: ownPool } = attributes;
    const isRefused = ownMode === false && ownPool === true && isTerraform(labels);
    return (typeof ownPool === 'boolean' && !isRefused) || '';
  },
  [destroyDuration]: (attributes, { live }) =>
    live?.offered.has(destroyDuration) ? hasKnownDuration(attributes) || 'its form is unknown' : '',
  // With a duration the service computes the time.
  [destroyTime]: (attributes, { live }) => {
    if (!live?.offered.has(destroyTime) || !hasKnownDuration(attributes)) return '';
    const { [destroyTime]: time, [destroyDuration]: duration } = attributes;
    return (
      !duration && (!time || acceptsText(workspaceAttributes[destroyTime], time) || 'it is not a timestamp')
    );
  },
  'vcs-repo': (attributes) => !hasRepository({ attributes }),
  // Its own, never those that it inherits of its project.
  'tag-bindings': ({ 'tag-bindings': own }) => {
    const bindings = asBindings(own as Value | undefined);
    return bindings === undefined ? '' : areDeclarable(bindings) || undeclarableBindings;
  },
  // Unknown while the state is shared with all.
  'remote-state-consumers': ({ 'remote-state-consumers': consumers }) => Array.isArray(consumers) || '',
  lock: ({ lock }) => !lock?.locked || !lock.by?.startsWith('run-') || 'a run holds it until it ends',
  'data-retention': ({ 'data-retention': policy }) => policy !== undefined || '',
};

const undeclarableBindings = 'the service no longer accepts such keys or values';

function hasKnownMode({ 'execution-mode': mode }: WorkspaceValues): boolean {
  return executionModes.some((known) => known === mode);
}

function hasPool({ 'agent-pool-id': pool }: WorkspaceValues, { of }: FileLabels): boolean {
  return typeof pool === 'string' && of('agent-pools', pool) !== undefined;
}

function hasKnownDuration({ [destroyDuration]: duration }: WorkspaceValues): boolean {
  return !duration || acceptsText(workspaceAttributes[destroyDuration], duration);
}

function isTerraform({ live }: FileLabels): boolean {
  return live?.dialect === 'terraform';
}

function declareProject(project: ProjectResource, labels: FileLabels): BareEntry {
  const { id = '', name, attributes, declared } = project;
  const alias = labels.live ? (labels.of('projects', id) ?? id) : name;
  const bindings = attributes['tag-bindings'] as Value | undefined;
  const lacksOverwrites = labels.live?.missing.includes('setting-overwrites');
  const all: readonly (readonly [string, Value | undefined])[] = [
    ['id', labels.hasId(id) ? id : undefined],
    ['name', attributes.name],
    ['manage', true],
    ...projectPaths
      .slice(1)
      .filter((path) => !lacksOverwrites || projectAttributes[path].coupling === undefined)
      .map((path) => [path, attributes[path]] as const),
    ['tag-bindings', bindings],
    ['renamed-from', declared?.renamedFrom],
    ['protect', declared?.protect],
    ['state', declared?.absent && 'absent'],
  ];
  const values = new Map<string, Value>();
  const unfit = new Map<string, string>();
  for (const [path, value] of all) {
    if (value === undefined) continue;
    const written = fileValue(path, value, labels);
    const why = path === 'tag-bindings' ? undeclarableBindings : 'the service no longer accepts such a value';
    if (labels.live && !acceptsValue(path, value)) unfit.set(path, why);
    else if (written === undefined) unfit.set(path, unknownId(path, value));
    else values.set(path, written);
  }
  const refusal = values.has('name') ? undefined : 'the service no longer accepts such a name';
  return {
    kind: 'project',
    address: projectAddress(alias),
    path: ['projects', alias],
    ...{ values, unfit, refusal },
  };
}

function acceptsValue(path: string, value: Value): boolean {
  if (path === 'tag-bindings') return areDeclarable(asBindings(value) ?? {});
  return !isProjectPath(path) || typeof value !== 'string' || acceptsText(projectAttributes[path], value);
}

function declareGrant({ name, attributes, declared }: GrantResource, labels: FileLabels): BareEntry {
  const { project: projectId, team: teamId, access = 'custom' } = attributes;
  const written = namesOfGrant(name);
  const project = labels.live
    ? (labels.grantProject?.(projectId) ?? labels.of('projects', projectId))
    : written.project;
  const team = labels.live ? labels.of('teams', teamId) : written.team;
  const named = access === 'custom' ? permissionPaths : [];
  // Only some services have it, so it is written only if the service returns it, or the files name it.
  const hasPath = (path: PermissionPath) =>
    attributes[path] !== undefined && (labels.live || !permissions[path].only || declared?.locations?.[path]);
  const unknown = named.find(
    (path) =>
      labels.live &&
      !(permissions[path].only && attributes[path] === undefined) &&
      !permissions[path].values.some((known) => known === attributes[path]),
  );
  const { until, reason } = declared ?? {};
  const values: readonly (readonly [string, Value | undefined])[] = declared?.absent
    ? [['access', 'none']]
    : [
        ['access', access],
        ...named.filter(hasPath).map((path) => [path, attributes[path]] as const),
        ['until', until?.written],
        ['reason', reason],
      ];
  return {
    kind: 'team-access',
    address: grantAddress(project ?? projectId, team ?? teamId),
    path: ['team-access', project ?? projectId, team ?? teamId],
    values: new Map(values.filter((entry): entry is [string, Value] => entry[1] !== undefined)),
    unfit: new Map(),
    refusal: unknown
      ? `its ${unknown} is not supported by the configuration language`
      : project === undefined || team === undefined
        ? 'its project or team has no valid id'
        : undefined,
  };
}
