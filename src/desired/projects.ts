import type { SourceLocation } from '../model/diagnostic.ts';
import { projectAttributes, projectPaths } from '../model/project-attributes.ts';
import { type Declared, type ProjectResource, projectAddress } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { type Declaration, type Declarations, declaredTwice } from './declarations.ts';
import type { RawProject } from './files/raw-file.ts';
import { locateKey, locateValue } from './files/source.ts';
import type { Loading } from './problems.ts';
import type { References } from './references.ts';
import { bindingRule, checkBindingCount, checkBindings } from './tag-bindings.ts';
import { quote } from './text.ts';

interface ProjectsContext {
  readonly loading: Loading;
  readonly references: References;
}

type ManagedProject = Exclude<RawProject, string>;

/** The projects with `manage: true` as resources. All other projects are only referred to. */
export function declaredProjects(
  declared: Declarations<RawProject>,
  context: ProjectsContext,
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
    if (id !== undefined) resources.push(projectResource(alias, id, { ...declaration, value }, loading));
  }
  checkNames(resources, loading);
  return resources;
}

function projectResource(
  alias: string,
  id: string,
  { value, location }: Declaration<RawProject> & { readonly value: ManagedProject },
  { origins }: Loading,
): ProjectResource {
  const { 'renamed-from': renamedFrom, protect, state, 'tag-bindings': bindings } = value;
  const given = projectPaths.filter((path) => value[path] !== undefined);
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
      ...Object.fromEntries(given.map((path) => [path, value[path] ?? null])),
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
    problems.add({
      code: 'unmanaged-project',
      message: `the project ${quote(alias)} declares ${quote(key)} without manage: true`,
      hint: `add manage: true to let Attune create and update the project, or remove ${quote(key)}`,
      location: locateKey(origins, value, key),
    });
}

function checkManaged(
  alias: string,
  { value, location }: Declaration<RawProject> & { readonly value: ManagedProject },
  { origins, problems }: Loading,
): void {
  const address = projectAddress(alias);
  if (!/^[A-Za-z0-9_-]+$/.test(alias))
    problems.add({
      code: 'invalid-name',
      message: `invalid alias ${quote(alias)} of a managed project`,
      hint: 'use letters, digits, "-" and "_" for the alias, and set `name` to the name on the service',
      address,
      location,
    });
  for (const path of projectPaths) {
    const given = value[path];
    const spec = projectAttributes[path];
    if (given === undefined) continue;
    const at = { address, location: locateValue(origins, value, path) };
    if (path === 'name' && typeof given === 'string' && !projectAttributes.name.pattern.test(given))
      problems.add({
        code: 'invalid-name',
        message: `invalid project name ${quote(given)}`,
        hint: 'use 3 to 40 letters, digits, spaces, "-" and "_", without a space at either end',
        ...at,
      });
    else if ('maxLength' in spec && typeof given === 'string' && given.length > spec.maxLength)
      problems.add({
        code: 'bad-value',
        message: `"${path}" of a project has ${given.length} characters, and the service stores ${spec.maxLength}`,
        hint: 'shorten it',
        ...at,
      });
  }
  checkTombstone(address, value, { origins, problems });
  const bindings = value['tag-bindings'];
  if (bindings) {
    checkBindings(bindings, { origins, problems }, address);
    const at = { address, location: locateKey(origins, value, 'tag-bindings') };
    checkBindingCount(bindingRule(bindings, 'workspace') as Value, { problems }, at);
  }
  const { 'renamed-from': former, name } = value;
  if (former !== undefined && sameName(former, name ?? ''))
    problems.add({
      code: 'renamed-from-declared',
      message: `the project ${quote(former)} cannot be renamed from itself`,
      hint: 'remove the line',
      address,
      location: locateValue(origins, value, 'renamed-from'),
    });
}

/** A project that is deleted has no values to apply, and it is not protected. */
function checkTombstone(
  address: string,
  value: ManagedProject,
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
): void {
  if (value.state !== 'absent') return;
  if (value.protect === true)
    problems.add({
      code: 'protected',
      message: 'the project is protected and cannot be deleted',
      hint: 'remove protect: true first',
      address,
      location: locateKey(origins, value, 'protect'),
    });
  if (value['renamed-from'] !== undefined)
    problems.add({
      code: 'renamed-from-absent',
      message: `a project with state: absent is not renamed, and ${quote(value['renamed-from'])} would stay`,
      hint: 'remove the line',
      address,
      location: locateKey(origins, value, 'renamed-from'),
    });
}

/** The service compares names of projects without upper and lower case. */
function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Two managed projects are never one project of the service: neither by name nor by former name. */
function checkNames(resources: readonly ProjectResource[], { problems }: Loading): void {
  const claimed = new Map<string, { readonly alias: string; readonly location: SourceLocation }>();
  for (const { name: alias, attributes, declared, location } of resources) {
    for (const [key, name] of [
      ['name', attributes.name],
      ['renamed-from', declared?.renamedFrom],
    ] as const) {
      const place = declared?.locations?.[key] ?? location;
      if (typeof name !== 'string' || place === undefined) continue;
      const known = claimed.get(name.toLowerCase());
      if (!known) claimed.set(name.toLowerCase(), { alias, location: place });
      else if (known.alias !== alias)
        for (const problem of declaredTwice(`the project ${quote(name)}`, known.location, place))
          problems.add(problem);
    }
  }
}
