import { projectPermissions } from '../documents/named-resources.ts';
import { type BindingType, bindingResource } from '../documents/tag-resources.ts';
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
  bindingsInEffect,
  type EffectiveBinding,
  overrideErrors,
  readBindings,
  storedBindings,
} from '../rules/tag-rules.ts';
import type { StoredProject, StoredWorkspace } from '../store/records.ts';
import { findRequestedProject, findRequestedWorkspace, saveWorkspace } from './find-requested.ts';

type Bindings = Readonly<Record<string, string | null>>;

/** How a workspace or project with bindings is found and stored. */
interface Holder<Record extends StoredWorkspace | StoredProject> {
  readonly path: string;
  readonly find: (request: ServiceRequest, needed: 'read' | 'admin') => Record;
  readonly save: (request: ServiceRequest, record: Record, bindings: Bindings) => Record;
  readonly effective: (request: ServiceRequest, record: Record) => EffectiveBinding[];
}

const workspaces: Holder<StoredWorkspace> = {
  path: '/workspaces/:workspace_id',
  find: findRequestedWorkspace,
  save: (request, workspace, bindings) => {
    const { store } = request.world;
    const saved = { ...workspace, bindings };
    refuseInvalid(overrideErrors(store, saved, store.get('projects', workspace.project)));
    return saveWorkspace(request, saved);
  },
  effective: ({ world }, workspace) => bindingsInEffect(world.store, workspace),
};

const projects: Holder<StoredProject> = {
  path: '/projects/:id',
  find: (request, needed) => {
    const project = findRequestedProject(request);
    const { world, caller } = request;
    const { 'can-manage-tags': mayWrite } = projectPermissions(world, project, caller);
    if (needed === 'admin' && !mayWrite) throw notFound();
    return project;
  },
  save: ({ world }, project, bindings) => {
    const saved = { ...project, bindings };
    world.store.put('projects', saved);
    return saved;
  },
  effective: (_, project) => storedBindings(project),
};

/** A list without pages, as on the live service. */
function answer(bindings: readonly EffectiveBinding[], type: BindingType): Answer {
  return json(200, { data: bindings.map((binding) => bindingResource(binding, type)) });
}

function bindingsIn(request: ServiceRequest, before: Bindings): Bindings {
  const errors: ErrorObject[] = [];
  const given = readResourceList(request.body).map((resource) => resource.attributes);
  const bindings = readBindings(given, errors, before);
  refuseInvalid(errors);
  return bindings;
}

function routesOf<Record extends StoredWorkspace | StoredProject>(holder: Holder<Record>): readonly Route[] {
  const { path, find, save, effective } = holder;
  const list = (request: ServiceRequest) => answer(storedBindings(find(request, 'read')), 'tag-bindings');
  /** Adds and overwrites by key, removes nothing. */
  const upsert = (request: ServiceRequest) => {
    const record = find(request, 'admin');
    return save(request, record, bindingsIn(request, record.bindings ?? {}));
  };
  return [
    ['GET', `${path}/tag-bindings`, list],
    ['PATCH', `${path}/tag-bindings`, (request) => answer(storedBindings(upsert(request)), 'tag-bindings')],
    ['GET', `${path}/relationships/tag-bindings`, list],
    [
      'POST',
      `${path}/relationships/tag-bindings`,
      (request) => {
        upsert(request);
        return noContent;
      },
    ],
    [
      'PATCH',
      `${path}/relationships/tag-bindings`,
      (request) => {
        save(request, find(request, 'admin'), bindingsIn(request, {}));
        return noContent;
      },
    ],
    [
      'GET',
      `${path}/effective-tag-bindings`,
      (request) => answer(effective(request, find(request, 'read')), 'effective-tag-bindings'),
    ],
  ];
}

/** Key-value tags, which only the live service has. PATCH has two meanings on two similar paths. */
export const tagBindingRoutes: readonly Route[] = [...routesOf(workspaces), ...routesOf(projects)];
