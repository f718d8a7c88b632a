import { isIdOf } from '../model/alias-kind.ts';
import { projectAttributes } from '../model/attribute-table.ts';
import { projectExecutionPaths, projectPaths } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { showPlace } from '../model/diagnostic.ts';
import {
  type Declared,
  type ProjectResource,
  projectAddress,
  type Resource,
  resourcesOf,
} from '../model/state.ts';
import { quote } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import { type Declaration, type Declarations, declaredTwice } from './declarations.ts';
import { locateKey, locateValue } from './files/source.ts';
import type { Loading, Problems } from './problems.ts';
import { projectDeleted, type ReadContext } from './references.ts';
import type { RawProject } from './schema/language.ts';
import { bindingRule, checkBindingCount, checkBindings } from './tag-bindings.ts';

type ManagedProject = Exclude<RawProject, string>;

/** The projects with `manage: true` as resources. All other projects are only referred to. */
export function declaredProjects(
  declared: Declarations<RawProject>,
  context: ReadContext,
): readonly ProjectResource[] {
  const { loading, references } = context;
  const resources: ProjectResource[] = [];
  for (const [alias, declaration] of declared) {
    const { value } = declaration;
    if (typeof value !== 'object') continue;
    if (value.manage !== true) {
      reportUnmanagedKeys(alias, value, loading);
      continue;
    }
    checkManaged(alias, { ...declaration, value }, loading);
    const id = references.aliases.projects.get(alias);
    if (id !== undefined) resources.push(projectResource(alias, id, { ...declaration, value }, context));
  }
  checkManagedOnce(resources, loading.problems);
  return resources;
}

function projectResource(
  alias: string,
  id: string,
  { value, location }: Declaration<RawProject> & { readonly value: ManagedProject },
  { loading: { origins }, references }: ReadContext,
): ProjectResource {
  const { 'renamed-from': renamedFrom, protect, state, 'tag-bindings': bindings } = value;
  const values = projectPaths.map((path) => {
    const { [path]: given } = value;
    const kind = projectAttributes[path].reference;
    // Undefined if the reference is wrong, which is reported.
    const resolved =
      kind && typeof given === 'string'
        ? references.resolve(kind, given, locateValue(origins, value, path))
        : given;
    return [path, resolved] as const;
  });
  const locations = Object.fromEntries(
    Object.keys(value).map((key): [string, SourceLocation] => [key, locateKey(origins, value, key)]),
  );
  const declared: Declared = {
    ...(renamedFrom !== undefined && { renamedFrom }),
    ...(typeof protect === 'boolean' && { protect }),
    ...(state === 'absent' && { absent: 'safe' as const }),
    locations,
  };
  return {
    kind: 'project',
    address: projectAddress(alias),
    name: alias,
    id,
    attributes: {
      ...Object.fromEntries(values.filter(([, given]) => given !== undefined)),
      ...(bindings && { 'tag-bindings': bindingRule(bindings, 'workspace') }),
    },
    location,
    declared,
  };
}

/** Keys that describe a project would be ignored without `manage: true`, and the user expects them to be applied. */
function reportUnmanagedKeys(alias: string, value: ManagedProject, { origins, problems }: Loading): void {
  const [key] = Object.keys(value).filter((name) => !['name', 'id', 'manage'].includes(name));
  if (key !== undefined)
    problems.error('missing-key', `the project ${quote(alias)} declares ${quote(key)} without manage: true`, {
      at: locateKey(origins, value, key),
    });
}

function checkManaged(
  alias: string,
  { value, location }: Declaration<RawProject> & { readonly value: ManagedProject },
  { origins, problems }: Loading,
): void {
  const address = projectAddress(alias);
  if (!/^[A-Za-z0-9_-]+$/.test(alias))
    problems.error('bad-value', `invalid alias ${quote(alias)} of a managed project`, {
      at: { address, location },
      hint: 'use letters, digits, "-" and "_" for the alias, and set `name` to the name on the service',
    });
  const { pattern, errorMessage } = projectAttributes.name;
  if (value.name !== undefined && !pattern?.test(value.name))
    problems.error('bad-value', `invalid project name ${quote(value.name)}`, {
      at: { address, location: locateValue(origins, value, 'name') },
      hint: errorMessage,
    });
  checkExecution(address, value, { origins, problems });
  checkProjectTombstone(address, value, { origins, problems });
  const bindings = value['tag-bindings'];
  if (bindings) {
    checkBindings(bindings, { origins, problems }, address);
    const at = { address, location: locateKey(origins, value, 'tag-bindings') };
    checkBindingCount(bindingRule(bindings, 'workspace') as Value, { problems }, at);
  }
  const { 'renamed-from': former, name } = value;
  if (former !== undefined && sameName(former, name ?? ''))
    problems.error('renamed-from', `the project ${quote(former)} cannot be renamed from itself`, {
      at: { address, location: locateValue(origins, value, 'renamed-from') },
    });
}

const [modePath, poolPath] = projectExecutionPaths;

/** The rules of a workspace: agents have a pool, and nothing else has one. */
function checkExecution(
  address: string,
  value: ManagedProject,
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
): void {
  const { [modePath]: mode, [poolPath]: pool } = value;
  if (mode === 'agent' && typeof pool !== 'string')
    problems.error('missing-key', `${modePath}: agent requires "${poolPath}"`, {
      at: { address, location: locateKey(origins, value, modePath) },
    });
  if (mode !== 'agent' && typeof pool === 'string')
    problems.error('exclusive-settings', `"${poolPath}" requires ${modePath}: agent`, {
      at: { address, location: locateKey(origins, value, poolPath) },
    });
}

/** A project that is deleted has no values to apply, and it is not protected. */
function checkProjectTombstone(
  address: string,
  value: ManagedProject,
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
): void {
  if (value.state !== 'absent') return;
  if (value.protect === true)
    problems.error('protected', 'the project is protected and cannot be deleted', {
      at: { address, location: locateKey(origins, value, 'protect') },
    });
  if (value['renamed-from'] !== undefined)
    problems.error(
      'renamed-from',
      `a project with state: absent is not renamed, and ${quote(value['renamed-from'])} would stay`,
      { at: { address, location: locateKey(origins, value, 'renamed-from') } },
    );
}

/** The service compares names of projects without upper and lower case. */
function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * Two managed projects are never one project of the service: neither by name, nor by former name, nor by id. Names have
 * their ids after the look-ups: check again then.
 */
export function checkManagedOnce(resources: Iterable<Resource>, problems: Problems): void {
  const claimed = new Map<string, { readonly alias: string; readonly location: SourceLocation }>();
  const reported = new Set<string>();
  for (const resource of resourcesOf(resources, 'project')) {
    const { name: alias, location: own } = resource;
    for (const { key, identity, shown } of projectClaims(resource)) {
      const location = resource.declared?.locations?.[key] ?? own;
      if (location === undefined) continue;
      const known = claimed.get(identity);
      if (!known) claimed.set(identity, { alias, location });
      else if (known.alias !== alias && !reported.has(`${known.alias} ${alias}`)) {
        reported.add(`${known.alias} ${alias}`);
        problems.add(...declaredTwice(`the project ${shown}`, known.location, location));
      }
    }
  }
}

/** What a managed project is on the service: its name, the name that it had, and its id as far as it is known. */
export function projectClaims({ id, attributes: { name }, declared }: ProjectResource) {
  const { renamedFrom } = declared ?? {};
  return [
    ...(typeof name === 'string' ? [namedClaim('name', name)] : []),
    ...(renamedFrom === undefined ? [] : [namedClaim('renamed-from', renamedFrom)]),
    ...(id !== undefined && isIdOf('projects', id) ? [{ key: 'id', identity: `id ${id}`, shown: id }] : []),
  ];
}

function namedClaim(key: 'name' | 'renamed-from', name: string) {
  return { key, identity: `name ${name.toLowerCase()}`, shown: quote(name) };
}

/**
 * Reports references to a project that the same files delete under another alias, or by its id. References by the alias
 * of the tombstone are reported when the files are read.
 */
export function checkDeletedProjects(resources: Iterable<Resource>, problems: Problems): void {
  const all = [...resources];
  const deleted = projectTombstones(all);
  for (const resource of deleted.size === 0 ? [] : all) {
    const tombstone = deleted.get(referredProject(resource) ?? '');
    const location = referencePlace(resource);
    if (tombstone?.location === undefined || location === undefined) continue;
    const how = `by this configuration (${showPlace(tombstone.location)})`;
    problems.add(projectDeleted(tombstone.name, how, { address: resource.address, location }));
  }
}

/** The projects with `state: absent`, by id. */
export function projectTombstones(resources: Iterable<Resource>): ReadonlyMap<string, ProjectResource> {
  const absent = resourcesOf(resources, 'project').filter(({ declared }) => declared?.absent);
  return new Map(absent.flatMap((project) => (project.id === undefined ? [] : [[project.id, project]])));
}

/** The id of the project that a workspace or a grant needs; what is deleted itself needs none. */
export function referredProject({ kind, attributes, declared }: Resource): string | undefined {
  if (kind === 'project' || declared?.absent) return undefined;
  return typeof attributes.project === 'string' ? attributes.project : undefined;
}

/** The place of this reference. */
export function referencePlace({ declared, location }: Resource): SourceLocation | undefined {
  return declared?.locations?.project ?? location;
}
