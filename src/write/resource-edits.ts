import type { GrantChange, ProjectChange } from '../model/change.ts';
import { aliasOf } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import {
  type Declared,
  findWorkspace,
  type GrantResource,
  nameOfAddress,
  namesOfGrant,
  resourcesOf,
  uncreatedProject,
} from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import { type AcceptContext, type Accepting, chosenFields, statingBy } from './acceptance.ts';
import { hasPath } from './edit-yaml.ts';
import { stateGrant } from './state-grant.ts';

/** The edits that make a grant as it is live; undefined if it is not chosen. */
export function grantEdits(change: GrantChange, context: AcceptContext): Accepting | undefined {
  const { address, action, live, location } = change;
  const { configuration, texts } = context;
  if (action === 'create') {
    if (!context.chosen(address, '')) return undefined;
    return accepted(address, { file: location?.file ?? '', path: keysOfGrant(change) }, 'declared', 'none');
  }
  if (live === undefined) return undefined;
  const fields = chosenFields(change, context);
  if (action === 'update' ? fields.length === 0 : !context.chosen(address, '')) return undefined;
  const value = statedValue(live, context);
  if (value === undefined) {
    return {
      address,
      reason: 'no file can hold its live permissions',
      hint: 'run `attune apply` to restore the declared access, or change the grant on the service',
    };
  }
  const project = configuration.grantProjects.get(live.attributes.project) ?? live.attributes.project;
  const team = aliasOf(configuration.aliases, 'teams', live.attributes.team);
  const path = location ? keysOfGrant(change) : ['team-access', project, team];
  const file =
    location?.file ??
    [...texts].find(([, text]) => hasPath(text, path.slice(0, 2)))?.[0] ??
    [...texts.keys()][0] ??
    '';
  if (action === 'delete') return accepted(address, { file, path }, 'none', value);
  const ending = endingOf(configuration.desired.resources.get(address)?.declared);
  const whole = ending ? { ...(isRecord(value) ? value : { access: value }), ...ending } : value;
  // Permissions that are not chosen stay as they are declared.
  const isInPlace =
    isRecord(value) &&
    configuration.layered.get(address)?.role === undefined &&
    !fields.some((field) => field.path === 'access');
  return {
    address,
    fields: fields.map((field) => ({ path: field.path, before: field.after, after: field.before })),
    edits: isInPlace
      ? fields.map((field) => ({ file, path: [...path, ...field.path.split('.')], value: field.before }))
      : [{ file, path, value: whole }],
  };
}

/** The keys beside the level that no live value has. */
function endingOf({ until, reason }: Declared = {}): Readonly<Record<string, string>> | undefined {
  if (until === undefined && reason === undefined) return undefined;
  return { ...(until && { until: until.written }), ...(reason !== undefined && { reason }) };
}

function accepted(
  address: string,
  place: { readonly file: string; readonly path: readonly string[] },
  before: Value,
  after: Value,
): Accepting {
  return { address, fields: [{ path: '', before, after }], edits: [{ ...place, value: after }] };
}

/** The project and the team as the file writes them. */
function keysOfGrant({ name }: GrantChange): readonly string[] {
  const { project, team } = namesOfGrant(name);
  return ['team-access', project, team];
}

function statedValue(grant: GrantResource, { configuration }: AcceptContext): Value | undefined {
  const { grantProjects } = configuration;
  return stateGrant(grant, { ...statingBy(configuration), selection: {}, grantProjects })?.value;
}

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
