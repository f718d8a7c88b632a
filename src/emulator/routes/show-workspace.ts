import { includedResources } from '../documents/included.ts';
import { workspaceJson } from '../documents/workspace.ts';
import type { Answer } from '../http/answer.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { readInclude } from '../rules/include.ts';
import { findWorkspace } from './find-workspace.ts';

/** GET /workspaces/:workspace_id and its name-based form */
export function showWorkspace(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const workspace = findWorkspace(request, 'read');
  const names = readInclude(query, world.dialect);
  const data = workspaceJson(world, workspace, caller, names);
  if (names.length === 0) return { status: 200, body: `{"data":${data}}` };
  const included = includedResources(world, caller, [workspace], names);
  return { status: 200, body: `{"data":${data},"included":${JSON.stringify(included)}}` };
}
