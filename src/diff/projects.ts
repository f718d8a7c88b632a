import type { Live } from '../live/read-live.ts';
import { projectExecutionPaths, projectPaths } from '../model/attributes.ts';
import type { ProjectChange } from '../model/change.ts';
import { bothLive } from '../model/configuration.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { isUncreatedProject, type ProjectResource, resourcesOf } from '../model/state.ts';
import { type Comparison, changing, type KindDifference, located } from './comparison.ts';
import { addsBindings, bindingField, changedValues, sameAttribute, targetBindings } from './fields.ts';
import { noFormer } from './refusals.ts';

export function compareProjects(comparison: Comparison): KindDifference<'project'> {
  const { configuration, live, chosen } = comparison;
  const after = new Map(
    resourcesOf(live.state.resources.values(), 'project').map((project) => [project.id, project]),
  );
  const declared = resourcesOf(configuration.desired.resources.values(), 'project').filter(({ address }) =>
    chosen(address),
  );
  const diagnostics: (Diagnostic | readonly Diagnostic[])[] = [];
  const compared = live.dialect === 'iac' ? [] : declared;
  if (live.dialect === 'iac') diagnostics.push(...declared.map((one) => notInDialect(one, comparison)));
  const changes = compared.flatMap((desired): ProjectChange[] => {
    const { absent, unchanged } = desired.declared ?? {};
    const current = after.get(desired.id);
    diagnostics.push(unreturnedExecution(desired, comparison), checkMatch(desired, current, live));
    if (absent) {
      after.delete(desired.id);
      return current ? changing({ desired, live: current }, [], { unchanged }) : [];
    }
    const target = projectTarget(desired, current);
    after.set(desired.id, target);
    const bindings = bindingField(target.attributes, current?.attributes);
    const { id: _id, ...created } = target;
    return changing(
      { desired, live: current, target: current ? target : created },
      [...changedValues(projectPaths, target.attributes, current?.attributes), ...bindings],
      addsBindings(desired.attributes['tag-bindings'], bindings) ? { addsBindings: true } : {},
    );
  });
  return {
    changes,
    unchanged: compared.length - changes.length,
    unmanaged: [],
    after: [...after.values()],
    diagnostics: diagnostics.flat(),
  };
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

function checkMatch(
  desired: ProjectResource,
  live: ProjectResource | undefined,
  { missing, projectNames = new Map() }: Live,
): Diagnostic | [] {
  const { id = '', address, attributes, declared = {} } = desired;
  const { name } = attributes;
  if (live === undefined) {
    if (isUncreatedProject(id) && name && declared.renamedFrom) return noFormer(desired, name);
    if (isUncreatedProject(id) || declared.absent || missing.includes('projects')) return [];
    return problem(
      'unknown-id',
      `${address} has the id ${id}, and the service returns no project with it: it does not exist, or this token may not see it`,
      { at: located(desired, 'id'), hint: 'check the id, or remove it to create the project by its name' },
    );
  }
  const former = live.attributes.name ?? '';
  if (!name || sameAttribute('name', former, name)) return [];
  const isTaken = ([other, called]: readonly [string, string]) =>
    other !== id && called.toLowerCase() === name.toLowerCase();
  if ([...projectNames].some(isTaken)) return bothLive(name, former, located(desired, 'name'));
  if (!declared.protect) return [];
  const message = `the project "${former}" would be renamed to "${name}", which is protected`;
  return problem('protected', message, { at: located(desired, 'protect'), hint: 'remove protect first' });
}

/** Services before project defaults do not return whether a mode is the project's own. */
function unreturnedExecution(desired: ProjectResource, { live }: Comparison): Diagnostic | [] {
  const path = projectExecutionPaths.find((one) => desired.attributes[one] !== undefined);
  const projects = resourcesOf(live.state.resources.values(), 'project');
  const isReturned =
    projects.length === 0 || (path && projects.some(({ attributes }) => attributes[path] !== undefined));
  if (path === undefined || isReturned || live.missing.includes('setting-overwrites')) return [];
  const message = `${desired.address} declares ${path}, but this service does not offer it: its projects do not have it`;
  return problem('not-offered', message, { at: located(desired, path) });
}

/** The `iac` dialect reads projects and has no endpoint that writes them. */
function notInDialect(desired: ProjectResource, { configuration }: Comparison): Diagnostic {
  const endpoint = `POST /organizations/${configuration.desired.organization}/projects`;
  return problem(
    'not-offered',
    `${desired.address} is managed, and the iac dialect has no endpoint for it: ${endpoint}`,
    {
      at: located(desired, 'manage'),
      hint: 'remove `manage: true`, or set service.dialect to `terraform` if the service has projects',
    },
  );
}
