import {
  type AttributePath,
  attributePaths,
  nestedAttributes,
  wireName,
  workspaceAttributes,
} from '../../model/attributes.ts';
import type { Caller } from '../callers.ts';
import { effectiveMode, effectivePool } from '../rules/execution.ts';
import { executionDefaults } from '../rules/organization-defaults.ts';
import { hasRepository } from '../rules/repository.ts';
import type { OrganizationRecord, WorkspaceRecord } from '../store/records.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import { permissionsJson } from './workspace-permissions.ts';
import { readOnlyAttributes, repositoryDetails } from './workspace-read-only.ts';
import { workspaceRelationships } from './workspace-relationships.ts';

const isInside = (path: string, name: string) => path.startsWith(`${name}.`);
const plainPaths = attributePaths.filter((path) => !nestedAttributes.some((name) => isInside(path, name)));
const nestedPaths = nestedAttributes.map(
  (name) => [name, attributePaths.filter((path) => isInside(path, name))] as const,
);

interface Rendered {
  readonly organization: OrganizationRecord | undefined;
  /** The document up to and after the permissions, which depend on who asks. */
  readonly head: string;
  readonly tail: string;
}

/** A record never changes in place, so its text lasts as long as the record does. */
const rendered = new WeakMap<WorkspaceRecord, Rendered>();

/** The workspace's document as text (interface, section 2.1). */
export function workspaceJson(world: World, workspace: WorkspaceRecord, caller: Caller): string {
  const organization = world.store.get('organizations', workspace.organization);
  let parts = rendered.get(workspace);
  if (!parts || parts.organization !== organization) {
    parts = render(world, workspace, organization);
    rendered.set(workspace, parts);
  }
  return parts.head + permissionsJson(caller, workspace, organization) + parts.tail;
}

function render(
  world: World,
  workspace: WorkspaceRecord,
  organization: OrganizationRecord | undefined,
): Rendered {
  const attributes = { ...writableAttributes(world, workspace), ...readOnlyAttributes(world, workspace) };
  const path = `/api/v2/organizations/${workspace.organization}/workspaces/${workspace.name}`;
  const links = { self: path, 'self-html': `/app/${workspace.organization}/workspaces/${workspace.name}` };
  const relationships = workspaceRelationships(world, workspace, hasDataRetention(world));
  return {
    organization,
    head: `{"id":${JSON.stringify(workspace.id)},"type":"workspaces","attributes":${JSON.stringify(attributes).slice(0, -1)},"permissions":`,
    tail: `},"relationships":${JSON.stringify(relationships)},"links":${JSON.stringify(links)}}`,
  };
}

/** Every attribute of the table, with effective values where the organization's default shows through. */
function writableAttributes(world: World, workspace: WorkspaceRecord): Record<string, unknown> {
  const own = workspace.attributes;
  const defaults = executionDefaults(world.store, workspace.organization);
  const mode = effectiveMode(own, defaults);
  const shown: Partial<Record<AttributePath, unknown>> = {
    'execution-mode': mode,
    'agent-pool-id': effectivePool(own, defaults),
    operations: mode !== 'local',
  };
  const attributes: Record<string, unknown> = { name: workspace.name };
  for (const path of plainPaths) {
    if (workspaceAttributes[path].hostedOnly && !hasAssessments(world)) continue;
    // The live service takes the id as an attribute and shows the pool as a relationship only.
    if (path === 'agent-pool-id' && world.dialect === 'terraform') continue;
    attributes[wireName(path, world.dialect)] = path in shown ? shown[path] : own[path];
  }
  for (const [name, paths] of nestedPaths) {
    attributes[name] = Object.fromEntries(paths.map((path) => [wireName(path, world.dialect), own[path]]));
  }
  if (hasRepository(own)) Object.assign(attributes['vcs-repo'] ?? {}, repositoryDetails(world, workspace));
  else attributes['vcs-repo'] = null;
  return attributes;
}
