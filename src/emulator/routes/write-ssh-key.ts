import { sshKeyResource } from '../documents/named-resources.ts';
import { type Answer, invalid, json, noContent, notFound, refuseInvalid } from '../http/answer.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import { idPrefixes } from '../seed/references.ts';
import type { StoredEntity } from '../store/records.ts';
import { answerWorkspace, findRequestedWorkspace, saveWorkspace } from './find.ts';
import { findOwned, readName, refuseOthers } from './write-named.ts';

/** The key itself is not stored: the emulator does not use it, and no response may contain it. */
function createSshKey(request: ServiceRequest): Answer {
  const { store } = request.world;
  const organization = findOwned(request).id;
  const resource = readResource(request.body, 'ssh-keys');
  const { name, errors } = readName(resource, { taken: [] });
  const { value } = resource.attributes;
  if (typeof value !== 'string' || value === '')
    errors.push(invalid('/data/attributes/value', "Value can't be blank"));
  refuseInvalid(errors);
  const key = { id: store.nextId(idPrefixes.sshKeys, `${organization}/${name}`), organization, name };
  store.put('sshKeys', key);
  return json(201, { data: sshKeyResource(key) });
}

function updateSshKey(request: ServiceRequest): Answer {
  const before = findSshKey(request);
  const { name, errors } = readName(readResource(request.body, 'ssh-keys'), { taken: [], before });
  refuseInvalid(errors);
  const key = { ...before, name };
  request.world.store.put('sshKeys', key);
  return json(200, { data: sshKeyResource(key) });
}

/** Workspaces that use the key lose it. */
function deleteSshKey(request: ServiceRequest): Answer {
  const { store } = request.world;
  const key = findSshKey(request);
  for (const workspace of store.workspaces.all(key.organization)) {
    if (workspace.sshKey === key.id) store.put('workspaces', { ...workspace, sshKey: null });
  }
  store.remove('sshKeys', key.id);
  return noContent;
}

function findSshKey(request: ServiceRequest): StoredEntity {
  const key = request.world.store.get('sshKeys', pathPart(request, 'id'));
  refuseOthers(request, key);
  return key;
}

export const writeSshKeyRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/ssh-keys', createSshKey],
  ['PATCH', '/ssh-keys/:id', updateSshKey],
  ['DELETE', '/ssh-keys/:id', deleteSshKey],
];

/** PATCH .../relationships/ssh-key: an id assigns the key, null removes it (interface, section 4.4) */
export function patchAssignedSshKey(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
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
