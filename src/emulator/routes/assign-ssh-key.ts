import { invalid, notFound, refuseInvalid } from '../http/rejection.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { readResource } from '../rules/documents.ts';
import { answerWorkspace, findWorkspace, saveWorkspace } from './find-workspace.ts';

/** PATCH .../relationships/ssh-key: an id assigns the key, null takes it away (interface, section 4.4) */
export function assignSshKey(request: ServiceRequest) {
  const workspace = findWorkspace(request, 'admin');
  const { id } = readResource(request.body, 'workspaces').attributes;
  if (id === null) return answerWorkspace(request, saveWorkspace(request, { ...workspace, sshKey: null }));
  if (typeof id !== 'string') {
    refuseInvalid([invalid('/data/attributes/id', 'must be the id of an SSH key, or null')]);
    throw notFound();
  }
  const key = request.world.store.get('sshKeys', id);
  if (key?.organization !== workspace.organization) throw notFound();
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, sshKey: key.id }));
}
