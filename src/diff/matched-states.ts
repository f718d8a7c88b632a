import type { Live } from '../live/read-live.ts';
import type { ProjectChange } from '../model/change.ts';
import { type ProjectResource, type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { inDefaultProject, tagsFromProject } from './settings-in-effect.ts';

/** What workspaces inherit before and after a plan. */
export interface ProjectsOfPlan {
  /** By id. A project that was not read is missing. */
  readonly before: ReadonlyMap<string, ProjectResource>;
  readonly after: ReadonlyMap<string, ProjectResource>;
  /** The project of new workspaces that declare none; `undefined` if it is unknown. */
  readonly defaultProject?: string | undefined;
}

/** Every workspace before or after a plan, and what it inherits. */
export interface StatesOfPlan extends ProjectsOfPlan {
  readonly workspaces: readonly WorkspaceResource[];
}

/** @param after all resources after the plan */
export function statesOfPlan(live: Live, after: readonly Resource[]): StatesOfPlan {
  const before = [...live.state.resources.values()];
  const byId = (resources: readonly Resource[]) =>
    new Map(resourcesOf(resources, 'project').map((project) => [project.id ?? '', project]));
  return {
    before: byId(before),
    after: byId(after),
    defaultProject: live.defaultProject,
    workspaces: [...resourcesOf(before, 'workspace'), ...resourcesOf(after, 'workspace')],
  };
}

/** The states that windows and guards match: the given ones, and each with the key/value tags that it inherits before and after. */
export function matchedStates(
  states: readonly WorkspaceResource[],
  { before, after, defaultProject }: ProjectsOfPlan,
): WorkspaceResource[] {
  return states.flatMap((state) => {
    const placed = inDefaultProject(state, { defaultProject });
    return [placed, withTagsOf(before, placed), withTagsOf(after, placed)];
  });
}

/** The workspaces of a project whose key/value tags change, as they match before and after this change alone. */
export function inheritingStates(
  { live, target }: ProjectChange,
  { before, after, defaultProject, workspaces }: StatesOfPlan,
): readonly (readonly [before: WorkspaceResource, after: WorkspaceResource])[] {
  if (live === undefined || target === undefined) return [];
  return workspaces
    .map((workspace) => inDefaultProject(workspace, { defaultProject }))
    .filter(({ attributes }) => attributes.project === live.id)
    .map((workspace) => [withTagsOf(before, workspace), withTagsOf(after, workspace)] as const);
}

function withTagsOf(
  projects: ReadonlyMap<string, ProjectResource>,
  workspace: WorkspaceResource,
): WorkspaceResource {
  const tags = tagsFromProject(workspace, projects);
  if (tags === undefined) return workspace;
  return { ...workspace, attributes: { ...workspace.attributes, 'inherited-tag-bindings': tags } };
}
