import { areDeclarable } from '../desired/tag-bindings.ts';
import { projectAttributes, projectPaths } from '../model/project-attributes.ts';
import { type ProjectResource, projectAddress } from '../model/state.ts';
import { asBindings } from '../model/tag-bindings.ts';
import type { Value } from '../model/value.ts';
import type { ImportAliases } from './aliases.ts';
import type { ImportNotices } from './notices.ts';
import { type ImportDetail, undeclarableBindings } from './statement.ts';

export interface StateProjectContext {
  readonly alias: string;
  readonly aliases: ImportAliases;
  /** All projects of the organization. */
  readonly all: readonly ProjectResource[];
  readonly notices: ImportNotices;
  readonly detail: ImportDetail;
}

/** A project as a file manages it; undefined if a file can only refer to it. */
export function stateManagedProject(
  { id = '', attributes }: ProjectResource,
  { alias, aliases, all, notices, detail }: StateProjectContext,
): Value | undefined {
  const address = projectAddress(alias);
  const { name } = attributes;
  if (typeof name !== 'string' || !projectAttributes.name.pattern.test(name)) {
    notices.omit(address, 'the service no longer accepts such a name');
    return undefined;
  }
  const isTaken = all.some(
    (other) => other.id !== id && other.attributes.name?.toLowerCase() === name.toLowerCase(),
  );
  if (isTaken) {
    notices.omit(address, 'the name of another project differs only in case');
    return undefined;
  }
  const stated: Record<string, Value> = { id, name, manage: true };
  for (const path of projectPaths) {
    const value = attributes[path];
    if (path === 'name' || value === undefined) continue;
    if (value !== null && !isDeclarable(path, value))
      notices.add(address, `${path} is left out: ${noSuchValue}`);
    else if (value !== null || writesNull(path, detail)) stated[path] = value;
    if (path === 'default-agent-pool' && value !== null)
      stated[path] = aliases.use('agent-pools', value) ?? value;
  }
  const bindings = asBindings(attributes['tag-bindings']);
  if (bindings === undefined) return stated;
  if (!areDeclarable(bindings)) notices.add(address, `tag-bindings is left out: ${undeclarableBindings}`);
  else if (Object.keys(bindings).length > 0 || detail === 'all') stated['tag-bindings'] = bindings;
  return stated;
}

const noSuchValue = 'the service no longer accepts such a value';

function isDeclarable(path: (typeof projectPaths)[number], value: string): boolean {
  const spec = projectAttributes[path];
  if ('pattern' in spec) return spec.pattern.test(value);
  if ('values' in spec) return spec.values.some((known) => known === value);
  return !('maxLength' in spec) || value.length <= spec.maxLength;
}

/** A schedule of the project destroys the infrastructure of its workspaces, so a schedule set elsewhere is drift. */
function writesNull(path: (typeof projectPaths)[number], detail: ImportDetail): boolean {
  return detail === 'all' || (detail === 'standard' && path === 'auto-destroy-activity-duration');
}
