import { type Answer, json, noContent } from '../http/answer.ts';
import { type ErrorObject, refuseInvalid } from '../http/rejection.ts';
import type { Route } from '../http/router.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { readResourceList } from '../rules/documents.ts';
import { readBindings } from '../rules/related-tags.ts';
import { identifier } from '../store/identifiers.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import { findWorkspace, saveWorkspace } from './find-workspace.ts';

/** A list without pages, as the live service has it. */
function answerBindings(workspace: WorkspaceRecord, type: 'tag-bindings' | 'effective-tag-bindings'): Answer {
  const data = Object.entries(workspace.bindings).map(([key, value]) => ({
    id: identifier('tb', `${workspace.id}/${key}`, 0),
    type,
    attributes: { key, value: value ?? '' },
  }));
  return json(200, { data });
}

function read(request: ServiceRequest, before: Readonly<Record<string, string | null>>) {
  const errors: ErrorObject[] = [];
  const given = readResourceList(request.body).map((resource) => resource.attributes);
  const bindings = { ...before, ...readBindings(given, errors) };
  refuseInvalid(errors);
  return bindings;
}

/** Adds and overwrites by key, removes nothing. */
function upsertBindings(request: ServiceRequest): WorkspaceRecord {
  const workspace = findWorkspace(request, 'admin');
  return saveWorkspace(request, { ...workspace, bindings: read(request, workspace.bindings) });
}

function replaceBindings(request: ServiceRequest): Answer {
  const workspace = findWorkspace(request, 'admin');
  saveWorkspace(request, { ...workspace, bindings: read(request, {}) });
  return noContent;
}

const workspace = '/workspaces/:workspace_id';

/** Key-value tags, which only the live service has. PATCH means two things on two paths that look alike. */
export const tagBindingRoutes: readonly Route[] = [
  [
    'GET',
    `${workspace}/tag-bindings`,
    (request) => answerBindings(findWorkspace(request, 'read'), 'tag-bindings'),
  ],
  [
    'PATCH',
    `${workspace}/tag-bindings`,
    (request) => answerBindings(upsertBindings(request), 'tag-bindings'),
  ],
  [
    'GET',
    `${workspace}/relationships/tag-bindings`,
    (request) => answerBindings(findWorkspace(request, 'read'), 'tag-bindings'),
  ],
  [
    'POST',
    `${workspace}/relationships/tag-bindings`,
    (request) => {
      upsertBindings(request);
      return noContent;
    },
  ],
  ['PATCH', `${workspace}/relationships/tag-bindings`, replaceBindings],
  [
    'GET',
    `${workspace}/effective-tag-bindings`,
    (request) => answerBindings(findWorkspace(request, 'read'), 'effective-tag-bindings'),
  ],
];
