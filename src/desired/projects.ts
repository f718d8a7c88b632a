import { projectAttributes } from '../model/attribute-table.ts';
import { projectExecutionPaths, projectPaths } from '../model/attributes.ts';
import { type ProjectResource, projectAddress } from '../model/state.ts';
import { quote } from '../model/text.ts';
import type { Declaration, Declarations } from './declarations.ts';
import { checkRules, type Rule, reporter } from './problems.ts';
import type { ReadContext } from './references.ts';
import type { RawProject } from './schema/language.ts';
import { bindingRule, checkBindingCount, checkBindings } from './tag-bindings.ts';

type ManagedProject = Exclude<RawProject, string>;

const [modePath, poolPath] = projectExecutionPaths;

const rules: readonly Rule<ManagedProject>[] = [
  {
    code: 'bad-value',
    key: 'name',
    at: 'value',
    find: ({ name }) =>
      name !== undefined &&
      !projectAttributes.name.pattern?.test(name) &&
      `invalid project name ${quote(name)}`,
    hint: projectAttributes.name.errorMessage,
  },
  {
    code: 'missing-key',
    key: modePath,
    find: ({ [modePath]: mode, [poolPath]: pool }) =>
      mode === 'agent' && typeof pool !== 'string' && `${modePath}: agent requires "${poolPath}"`,
  },
  {
    code: 'exclusive-settings',
    key: poolPath,
    find: ({ [modePath]: mode, [poolPath]: pool }) =>
      mode !== 'agent' && typeof pool === 'string' && `"${poolPath}" requires ${modePath}: agent`,
  },
  {
    code: 'protected',
    key: 'protect',
    find: ({ state, protect }) =>
      state === 'absent' && protect === true && 'the project is protected and cannot be deleted',
  },
  {
    code: 'renamed-from',
    key: 'renamed-from',
    find: ({ state, 'renamed-from': former }) =>
      state === 'absent' &&
      former !== undefined &&
      `a project with state: absent is not renamed, and ${quote(former)} would stay`,
  },
];

/** The projects with `manage: true`. All other projects are only referred to. */
export function declaredProjects(
  declared: Declarations<RawProject>,
  context: ReadContext,
): readonly ProjectResource[] {
  const { loading, references } = context;
  return [...declared].flatMap(([alias, { value, location }]) => {
    if (typeof value !== 'object') return [];
    const address = projectAddress(alias);
    const report = reporter(loading, address);
    if (value.manage !== true) {
      // It would be ignored, and the user expects it to be applied.
      const key = Object.keys(value).find((name) => !['name', 'id', 'manage'].includes(name));
      const message = `the project ${quote(alias)} declares ${quote(key)} without manage: true`;
      if (key !== undefined) reporter(loading).error('missing-key', message, report.atKey(value, key));
      return [];
    }
    if (!/^[A-Za-z0-9_-]+$/.test(alias))
      report.error(
        'bad-value',
        `invalid alias ${quote(alias)} of a managed project`,
        location,
        'use letters, digits, "-" and "_" for the alias, and set `name` to the name on the service',
      );
    checkRules(value, rules, report);
    const { 'tag-bindings': bindings } = value;
    if (bindings) {
      checkBindings(bindings, report);
      checkBindingCount(bindingRule(bindings, 'workspace'), report.atKey(value, 'tag-bindings'), report);
    }
    const id = references.aliases.projects.get(alias);
    return id === undefined ? [] : [projectResource(alias, id, value, { ...context, location })];
  });
}

function projectResource(
  alias: string,
  id: string,
  value: ManagedProject,
  { loading, references, location }: ReadContext & Pick<Declaration<unknown>, 'location'>,
): ProjectResource {
  const { 'renamed-from': renamedFrom, protect, state, 'tag-bindings': bindings } = value;
  const { atKey, atValue } = reporter(loading);
  const given = projectPaths.filter((path) => path !== poolPath && value[path] !== undefined);
  const pool = value[poolPath];
  // Undefined if the reference is wrong, which is reported.
  const poolId =
    typeof pool === 'string' ? references.resolve('agent-pools', pool, atValue(value, poolPath)) : pool;
  return {
    kind: 'project',
    address: projectAddress(alias),
    name: alias,
    id,
    attributes: {
      ...Object.fromEntries(given.map((path) => [path, value[path] ?? null])),
      ...(poolId !== undefined && { [poolPath]: poolId }),
      ...(bindings && { 'tag-bindings': bindingRule(bindings, 'workspace') }),
    },
    location,
    declared: {
      ...(renamedFrom !== undefined && { renamedFrom }),
      ...(typeof protect === 'boolean' && { protect }),
      ...(state === 'absent' && { absent: 'safe' }),
      locations: Object.fromEntries(Object.keys(value).map((key) => [key, atKey(value, key)])),
    },
  };
}
