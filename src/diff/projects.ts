import {
  destroyDuration,
  destroyTime,
  inheritedDestroyDuration,
  projectExecutionPaths,
  projectPaths,
} from '../model/attributes.ts';
import type { Change, FieldChange, ProjectChange } from '../model/change.ts';
import { about, type Diagnostic, problem } from '../model/diagnostic.ts';
import {
  addressIn,
  findWorkspace,
  isUncreatedProject,
  type ProjectResource,
  type Resource,
  resourcesOf,
} from '../model/state.ts';
import { counted } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import { addsBindings, bindingField, targetBindings } from './bindings.ts';
import { type Comparison, type KindDifference, located } from './comparison.ts';
import { sameAttribute } from './normalize.ts';
import { outsideProject } from './ownership.ts';

/** Compares the managed projects with the live ones. An unmanaged project is never changed or deleted. */
export function compareProjects(comparison: Comparison): KindDifference<'project'> {
  const { configuration, live, chosen } = comparison;
  const byId = new Map(
    resourcesOf(live.state.resources.values(), 'project').map((project) => [project.id, project]),
  );
  const declared = resourcesOf(configuration.desired.resources.values(), 'project').filter(({ address }) =>
    chosen(address),
  );
  const changes: ProjectChange[] = [];
  const diagnostics: (Diagnostic | readonly Diagnostic[])[] = [];
  const after = new Map<string | undefined, ProjectResource>(byId);
  let unchanged = 0;
  for (const desired of declared) {
    const current = byId.get(desired.id);
    if (live.dialect === 'iac') {
      diagnostics.push(notInDialect(desired, configuration.desired.organization));
      continue;
    }
    diagnostics.push(outsideProject(desired, comparison), unreturnedExecution(desired, current));
    diagnostics.push(checkMatch(desired, current, live.missing.includes('projects')));
    const target = projectTarget(desired, current);
    const change = desired.declared?.absent
      ? deletion(desired, current)
      : projectChange(target, current, desired);
    if (change) changes.push(change);
    else unchanged += 1;
    if (desired.declared?.absent) after.delete(desired.id);
    else after.set(desired.id, target);
  }
  return { changes, unchanged, unmanaged: [], after: [...after.values()], diagnostics: diagnostics.flat() };
}

/** The projects after the plan, by id: their key/value tags apply to their workspaces, too. */
export function projectTargets({
  configuration,
  live,
  chosen,
}: Comparison): ReadonlyMap<string, ProjectResource> {
  const targets = new Map(
    resourcesOf(live.state.resources.values(), 'project').map((project) => [project.id ?? '', project]),
  );
  for (const desired of resourcesOf(configuration.desired.resources.values(), 'project')) {
    if (chosen(desired.address) && !desired.declared?.absent && desired.id !== undefined)
      targets.set(desired.id, projectTarget(desired, targets.get(desired.id)));
  }
  return targets;
}

function projectTarget(desired: ProjectResource, live: ProjectResource | undefined): ProjectResource {
  const { declared: _declared, ...resource } = desired;
  const bindings = targetBindings(desired.attributes['tag-bindings'], live?.attributes);
  const mode = desired.attributes['default-execution-mode'];
  return {
    ...resource,
    attributes: {
      ...live?.attributes,
      // Only agents have a pool: the service removes it with the mode. The mode `agent` is declared with its pool.
      ...(mode !== undefined && { 'default-agent-pool': null }),
      ...desired.attributes,
      // A new project hands no other key/value tags down than the declared ones.
      ...(bindings ? { 'tag-bindings': bindings } : !live && { 'tag-bindings': {} }),
    },
  };
}

function projectChange(
  target: ProjectResource,
  live: ProjectResource | undefined,
  desired: ProjectResource,
): ProjectChange | undefined {
  const values = projectPaths.flatMap((path): FieldChange[] => {
    const before: Value = live?.attributes[path] ?? null;
    const after: Value = target.attributes[path] ?? null;
    return sameAttribute(path, before, after) ? [] : [{ path, before, after }];
  });
  const bindings = bindingField(target.attributes, live?.attributes);
  const fields = [...values, ...bindings];
  if (live && fields.length === 0) return undefined;
  const { id: _id, ...created } = target;
  return {
    ...base(target),
    action: live ? 'update' : 'create',
    ...(live && { live }),
    target: live ? target : created,
    fields,
    ...(addsBindings(desired.attributes['tag-bindings'], bindings) && { addsBindings: true }),
  };
}

function deletion(desired: ProjectResource, live: ProjectResource | undefined): ProjectChange | undefined {
  const { unchanged } = desired.declared ?? {};
  return live && { ...base(desired), action: 'delete', live, fields: [], ...(unchanged && { unchanged }) };
}

function base({ address, name, location }: ProjectResource) {
  return { kind: 'project', name, ...about({ address, location }) } as const;
}

function checkMatch(
  desired: ProjectResource,
  live: ProjectResource | undefined,
  isMissing: boolean,
): Diagnostic | [] {
  const { id = '', address, attributes, declared = {} } = desired;
  if (live === undefined) {
    if (isUncreatedProject(id) || declared.absent || isMissing) return [];
    return problem(
      'unknown-id',
      `${address} has the id ${id}, and the service returns no project with it: it does not exist, or this token may not see it`,
      { at: located(desired, 'id'), hint: 'check the id, or remove it to create the project by its name' },
    );
  }
  const renames =
    attributes.name !== undefined && !sameAttribute('name', live.attributes.name, attributes.name);
  if (!renames || !declared.protect) return [];
  return problem(
    'protected',
    `the project "${live.attributes.name}" would be renamed to "${attributes.name}", which is protected`,
    { at: located(desired, 'protect') },
  );
}

/** Services before project defaults do not return whether a mode is the project's own. */
function unreturnedExecution(desired: ProjectResource, live: ProjectResource | undefined): Diagnostic | [] {
  const path = projectExecutionPaths.find((one) => desired.attributes[one] !== undefined);
  if (!live || path === undefined || live.attributes[path] !== undefined) return [];
  return problem(
    'not-offered',
    `${desired.address} declares ${path}, but this service does not offer it: its projects do not have it`,
    { at: located(desired, path) },
  );
}

/** The `iac` dialect reads projects and has no endpoint that writes them. */
function notInDialect(desired: ProjectResource, organization: string): Diagnostic {
  return problem(
    'not-offered',
    `${desired.address} is managed, and the iac dialect has no endpoint for it: POST /organizations/${organization}/projects`,
    {
      at: located(desired, 'manage'),
      hint: 'remove `manage: true`, or set service.dialect to `terraform` if the service has projects',
    },
  );
}

/** A project that does not exist yet is created by the same plan, unless it is left out. */
export function checkCreated(
  changes: readonly Change[],
  { chosen, leftOut }: Pick<Comparison, 'chosen' | 'leftOut'>,
): Diagnostic[] {
  return changes.flatMap(({ address, target, location }): Diagnostic | Diagnostic[] => {
    const project = String(target?.attributes.project);
    if (!isUncreatedProject(project)) return [];
    const needed = addressIn(project);
    // It is created, or another problem keeps it from being created.
    if (chosen(needed)) return [];
    return problem(
      'needs-left-out',
      `${address} needs ${needed}, which does not exist yet and which ${leftOut(needed).by} leaves out`,
      { at: { address, location }, hint: leftOut(needed).hint },
    );
  });
}

/** A workspace gets its own destroy schedule before that of its project changes, unless it is left out: it would inherit the new one. */
export function checkSchedules(
  changes: readonly ProjectChange[],
  { configuration, live, chosen, leftOut }: Comparison,
): Diagnostic[] {
  const rescheduled = changes.filter(({ fields }) => fields.some(({ path }) => path === destroyDuration));
  if (rescheduled.length === 0) return [];
  return resourcesOf(configuration.desired.resources.values(), 'workspace').flatMap((workspace) => {
    const { [destroyDuration]: duration, [destroyTime]: time } = workspace.attributes;
    if (chosen(workspace.address) || !(duration || time)) return [];
    const { attributes } = findWorkspace(live.state, workspace.name) ?? workspace;
    const change = rescheduled.find(({ live: project }) => project?.id === attributes.project);
    if (change === undefined || attributes[inheritedDestroyDuration] === undefined) return [];
    const { by, hint } = leftOut(workspace.address);
    return problem(
      'needs-left-out',
      `${change.address} changes ${destroyDuration}, and ${workspace.address} would inherit it: ${by} leaves out its own destroy schedule`,
      { at: change, hint },
    );
  });
}

/**
 * The service refuses to delete a project that has workspaces or Stacks, so a plan that would leave some in it fails.
 *
 * @param after all resources after the plan
 */
export function checkEmptied(changes: readonly ProjectChange[], after: readonly Resource[]): Diagnostic[] {
  const workspaces = resourcesOf(after, 'workspace');
  return changes.flatMap(({ action, address, live, location }): Diagnostic[] => {
    if (action !== 'delete') return [];
    const left = workspaces.filter(({ attributes }) => attributes.project === live?.id);
    const { 'stack-count': stacks = 0 } = live?.attributes ?? {};
    const withStacks: Diagnostic = problem(
      'project-not-empty',
      `${address} cannot be deleted: it still has ${counted(stacks, 'Stack')}`,
      { at: { address, location }, hint: 'move or delete its Stacks first; Attune does not manage Stacks' },
    );
    if (left.length === 0) return stacks > 0 ? [withStacks] : [];
    const names = left.map(({ name }) => name).sort();
    const more = names.length > 5 ? `, and ${names.length - 5} more` : '';
    return [
      problem(
        'project-not-empty',
        `${address} cannot be deleted: ${counted(left.length, 'workspace')} would be left in it (${names.slice(0, 5).join(', ')}${more})`,
        { at: { address, location }, hint: 'move or delete these workspaces in the same plan' },
      ),
      ...(stacks > 0 ? [withStacks] : []),
    ];
  });
}
