import { bindingResource } from '../documents/resource.ts';
import {
  type Answer,
  type ErrorObject,
  json,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readResourceList } from '../rules/request-document.ts';
import {
  type Bindings,
  bindingsInEffect,
  type EffectiveBinding,
  overrideErrors,
  readBindings,
  storedBindings,
} from '../rules/tag-rules.ts';
import type { StoredProject, StoredWorkspace } from '../store/records.ts';
import { findProject, type Needed, onWorkspace, saveWorkspace } from './finders.ts';
import { projectPermissions } from './projects.ts';

/*
 * Key-value tags of workspaces and projects, which only the live service has. PATCH has two meanings on two similar paths. The
 * lists have no pages, as on the live service.
 */

interface Holder<Record extends StoredWorkspace | StoredProject> {
  on(
    method: string,
    path: string,
    needed: Needed,
    handler: (request: ServiceRequest, record: Record) => Answer,
  ): Route;
  save(request: ServiceRequest, record: Record, bindings: Bindings): Record;
  effective(request: ServiceRequest, record: Record): readonly EffectiveBinding[];
}

const workspaces: Holder<StoredWorkspace> = {
  on: onWorkspace,
  save: (request, workspace, bindings) => {
    const { store } = request.world;
    const saved = { ...workspace, bindings };
    refuseInvalid(overrideErrors(store, saved, store.get('projects', workspace.project)));
    return saveWorkspace(request, saved);
  },
  effective: ({ world }, workspace) => bindingsInEffect(world.store, workspace),
};

const projects: Holder<StoredProject> = {
  on: (method, path, needed, handler) => [
    method,
    `/projects/:id${path}`,
    (request) => {
      const project = findProject(request);
      const { 'can-manage-tags': mayWrite } = projectPermissions(request.world, project, request.caller);
      if (needed === 'admin' && !mayWrite) throw notFound();
      return handler(request, project);
    },
  ],
  save: ({ world }, project, bindings) => {
    const saved = { ...project, bindings };
    world.store.put('projects', saved);
    return saved;
  },
  effective: (_, project) => storedBindings(project),
};

function answer(
  bindings: readonly EffectiveBinding[],
  type: 'tag-bindings' | 'effective-tag-bindings' = 'tag-bindings',
): Answer {
  return json(200, { data: bindings.map((binding) => bindingResource(binding, type)) });
}

function bindingsIn(request: ServiceRequest, before: Bindings): Bindings {
  const errors: ErrorObject[] = [];
  const given = readResourceList(request.body).map((resource) => resource.attributes);
  const bindings = readBindings(given, errors, before);
  refuseInvalid(errors);
  return bindings;
}

function routesOf<Record extends StoredWorkspace | StoredProject>({
  on,
  save,
  effective,
}: Holder<Record>): readonly Route[] {
  const list = (_: ServiceRequest, record: Record) => answer(storedBindings(record));
  const upsert = (request: ServiceRequest, record: Record) =>
    save(request, record, bindingsIn(request, record.bindings ?? {}));
  return [
    on('GET', '/tag-bindings', 'read', list),
    on('PATCH', '/tag-bindings', 'admin', (...at) => answer(storedBindings(upsert(...at)))),
    on('GET', '/relationships/tag-bindings', 'read', list),
    on('POST', '/relationships/tag-bindings', 'admin', (...at) => {
      upsert(...at);
      return noContent;
    }),
    on('PATCH', '/relationships/tag-bindings', 'admin', (request, record) => {
      save(request, record, bindingsIn(request, {}));
      return noContent;
    }),
    on('GET', '/effective-tag-bindings', 'read', (...at) =>
      answer(effective(...at), 'effective-tag-bindings'),
    ),
  ];
}

export const tagBindingRoutes: readonly Route[] = [...routesOf(workspaces), ...routesOf(projects)];
