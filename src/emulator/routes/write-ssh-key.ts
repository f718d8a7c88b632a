import { sshKeyResource } from '../documents/named-resources.ts';
import { type Answer, json, noContent } from '../http/answer.ts';
import { invalid, refuseInvalid } from '../http/rejection.ts';
import type { Route } from '../http/router.ts';
import { pathPart, type ServiceRequest } from '../http/service-request.ts';
import { readResource } from '../rules/documents.ts';
import { idPrefixes } from '../seed/references.ts';
import type { NamedRecord } from '../store/records.ts';
import { findOwned, readName, refuseOthers } from './write-named.ts';

/** The key itself is not stored: nothing here uses it, and no answer may hold it. */
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

/** Workspaces that use it go on without one. */
function deleteSshKey(request: ServiceRequest): Answer {
  const { store } = request.world;
  const key = findSshKey(request);
  for (const workspace of store.workspaces.all(key.organization)) {
    if (workspace.sshKey === key.id) store.put('workspaces', { ...workspace, sshKey: null });
  }
  store.remove('sshKeys', key.id);
  return noContent;
}

function findSshKey(request: ServiceRequest): NamedRecord {
  const key = request.world.store.get('sshKeys', pathPart(request, 'id'));
  refuseOthers(request, key);
  return key;
}

export const writeSshKeyRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/ssh-keys', createSshKey],
  ['PATCH', '/ssh-keys/:id', updateSshKey],
  ['DELETE', '/ssh-keys/:id', deleteSshKey],
];
