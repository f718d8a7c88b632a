import type { Answer } from '../http/answer.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { answerWorkspace, findWorkspace } from './find-workspace.ts';

/** GET /workspaces/:workspace_id and its name-based form */
export function showWorkspace(request: ServiceRequest): Answer {
  return answerWorkspace(request, findWorkspace(request, 'read'));
}
