import type { ProjectChange } from '../model/change.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { findWorkspace, nameOfAddress, resourcesOf, uncreatedProject } from '../model/state.ts';
import { type AcceptContext, type Accepting, chosenFields } from './acceptance.ts';

/** The edits that make a managed project as it is live; undefined if none of its fields is chosen. */
export function projectEdits(change: ProjectChange, context: AcceptContext): Accepting | undefined {
  const { address, action, location } = change;
  const alias = nameOfAddress(address);
  if (location === undefined) return undefined;
  if (action !== 'update') {
    if (!context.chosen(address, '')) return undefined;
    const place = { file: location.file, path: ['projects', alias] };
    if (action === 'delete') {
      return {
        address,
        fields: [{ path: '', before: 'absent', after: 'live' }],
        edits: [{ ...place, path: [...place.path, 'state'], value: undefined }],
      };
    }
    const moved = projectOfWorkspaces(alias, context);
    if (moved !== undefined) return manualRename(address, moved, location);
    return {
      address,
      fields: [{ path: '', before: 'declared', after: null }],
      edits: [{ ...place, value: undefined }],
    };
  }
  const fields = chosenFields(change, context);
  if (fields.length === 0) return undefined;
  return {
    address,
    fields: fields.map(({ path, before, after, add, remove }) => ({
      path,
      before: after,
      after: before,
      ...(add && remove && { add: remove, remove: add }),
    })),
    edits: fields.map(({ path, before }) => ({
      file: location.file,
      path: ['projects', change.name, path],
      value: before,
    })),
  };
}

/** The undeclared live project of all workspaces that a project without a live one declares. */
function projectOfWorkspaces(alias: string, { configuration, live }: AcceptContext): string | undefined {
  const declared = resourcesOf(configuration.desired.resources.values(), 'workspace').filter(
    ({ attributes }) => attributes.project === uncreatedProject(alias),
  );
  const projects = new Set(
    declared.map(({ name }) => findWorkspace(live.state, name)?.attributes.project).filter(isText),
  );
  const [project, ...others] = projects;
  const isKnown = project !== undefined && [...configuration.aliases.projects.values()].includes(project);
  return others.length > 0 || isKnown ? undefined : project;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function manualRename(address: string, project: string, { file, line }: SourceLocation): Accepting {
  return {
    address,
    reason: `no project has its name, and its workspaces are in project ${project}, which no file declares: it was probably renamed on the service`,
    hint: `set \`name\` at ${file}:${line} to the name of ${project} to keep it, or add that name as \`renamed-from\` and run \`attune apply\` to restore the former one`,
  };
}
