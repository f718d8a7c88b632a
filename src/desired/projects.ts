import { projectAttributes } from '../model/attribute-table.ts';
import { projectExecutionPaths, projectPaths } from '../model/attributes.ts';
import { type ProjectResource, projectAddress } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { withoutUndefined } from '../model/value.ts';
import type { Declaration, Declarations } from './declarations.ts';
import { reporter } from './problems.ts';
import type { ReadContext } from './references.ts';
import type { RawProject } from './schema/language.ts';
import { bindingRule, checkBindingCount, checkBindings } from './tag-bindings.ts';

type ManagedProject = Exclude<RawProject, string>;

const [modePath, poolPath] = projectExecutionPaths;

function checkProject(value: ManagedProject, report: ReturnType<typeof reporter>): void {
  const { error, isLiteral, atKey, atValue } = report;
  const { name, state, protect, 'renamed-from': former, [modePath]: mode, [poolPath]: pool } = value;
  const { pattern, errorMessage } = projectAttributes.name;
  if (name !== undefined && !pattern?.test(name))
    error('bad-value', `invalid project name ${quote(name)}`, atValue(value, 'name'), errorMessage);
  if (mode === 'agent' && typeof pool !== 'string')
    error('missing-key', `${modePath}: agent requires "${poolPath}"`, atKey(value, modePath));
  if (mode !== 'agent' && typeof pool === 'string')
    error('exclusive-settings', `"${poolPath}" requires ${modePath}: agent`, atKey(value, poolPath));
  if (former !== undefined) isLiteral('the project', former, atValue(value, 'renamed-from'));
  if (state !== 'absent') return;
  if (protect === true)
    error('protected', 'the project is protected and cannot be deleted', atKey(value, 'protect'));
  const message = `a project with state: absent is not renamed, and ${quote(former)} would stay`;
  if (former !== undefined) error('renamed-from', message, atKey(value, 'renamed-from'));
}

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
    const message = `invalid alias ${quote(alias)} of a managed project`;
    const hint = 'use letters, digits, "-" and "_" for the alias, and set `name` to the name on the service';
    if (!/^[A-Za-z0-9_-]+$/.test(alias)) report.error('bad-value', message, location, hint);
    checkProject(value, report);
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
    attributes: withoutUndefined({
      ...Object.fromEntries(given.map((path) => [path, value[path] ?? null])),
      [poolPath]: poolId,
      'tag-bindings': bindings && bindingRule(bindings, 'workspace'),
    }),
    location,
    declared: {
      ...{ renamedFrom, protect, absent: state && 'safe' },
      locations: Object.fromEntries(Object.keys(value).map((key) => [key, atKey(value, key)])),
    },
  };
}
