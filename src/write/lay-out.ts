import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import type { ServiceSettings } from '../model/configuration.ts';
import { groupBy, type Value } from '../model/value.ts';
import type { ImportAliases } from './aliases.ts';
import { defaultsOf, type Layer, ownLayer, sharedLayer, unmanagedKeys } from './lift.ts';
import type { FileContent, RootContent, WorkspaceContent, WrittenScope } from './render-file.ts';
import type { StatedWorkspace } from './statement.ts';

/** How a file refers to an object: by its id, or as `{name: ...}`. */
export type IdReference = (kind: AliasKind, id: string) => Value;

export interface LayOutInput {
  readonly organization: string;
  readonly service: ServiceSettings;
  readonly scope?: WrittenScope | undefined;
  readonly workspaces: readonly StatedWorkspace[];
  /** Grants by team by project; aliases. */
  readonly teamAccess: ReadonlyMap<string, ReadonlyMap<string, Value>>;
  readonly aliases: ImportAliases;
  /** The managed projects, by alias. */
  readonly projects: ReadonlyMap<string, Value>;
  /** How the files refer to an object. @default by its id */
  readonly reference?: IdReference | undefined;
  /** The name of the root file. */
  readonly root: string;
  /** Whether to write a single file, the root file. */
  readonly single: boolean;
  /** Existing files in the folder of the projects' files. */
  readonly standing: readonly string[];
}

/** The folder of the projects' files, beside the root file. */
export const projectFolder = 'workspaces';
/** Not a valid alias, so it cannot conflict with one. */
const noProject = '_no-project';

/**
 * Distributes an import over files, by path relative to the root file: settings that all workspaces share are written
 * to `defaults` of the root file, and settings that all of a project share to a template in the project's file.
 */
export function layOut(input: LayOutInput): ReadonlyMap<string, FileContent> {
  const { workspaces, teamAccess, root, single } = input;
  const defaults = defaultsOf(workspaces);
  const byProject = groupBy(workspaces, projectOf);
  const projects = [...new Set([...byProject.keys(), ...teamAccess.keys()])].sort();
  const parts = projects.map((project): [string, FileContent] => {
    const part = projectContent(project, byProject.get(project) ?? [], defaults);
    const access = teamAccess.get(project);
    const file = projectFile(project);
    return [file, access ? { ...part, teamAccess: new Map([[project, access]]) } : part];
  });
  const files = parts.map(([file]) => file);
  const rootContent: RootContent = {
    organization: input.organization,
    service: input.service,
    include: single || files.length === 0 ? [] : includeOf(files, input.standing),
    ...(input.scope && { scope: input.scope }),
    defaults,
  };
  const base: FileContent = { ...nothing, root: rootContent, aliases: addedAliases(input) };
  if (single) return new Map([[root, parts.reduce((all, [, part]) => joinContent(all, part), base)]]);
  return new Map([[root, base], ...parts]);
}

const nothing: FileContent = {
  aliases: new Map(),
  templates: new Map(),
  workspaces: new Map(),
  teamAccess: new Map(),
};

/** Names of devices on Windows, where no file can have them. */
const reservedName = /^(aux|con|nul|prn|(com|lpt)\d)$/i;

/** The file of a project by its alias. `_` starts no alias, so it cannot conflict with one. */
export function projectFile(project: string): string {
  const name = reservedName.test(project) ? `_${project}` : project || noProject;
  return `${projectFolder}/${name}.yaml`;
}

/** A pattern, so that later files are included; it must not match an existing file that is not part of the import. */
function includeOf(files: readonly string[], standing: readonly string[]): readonly string[] {
  return standing.every((file) => files.includes(file)) ? [`${projectFolder}/*.yaml`] : files;
}

/** What the alias sections gain: references, and managed projects. */
export function addedAliases({
  aliases,
  projects,
  reference = (_, id) => id,
}: Pick<LayOutInput, 'aliases' | 'projects' | 'reference'>): FileContent['aliases'] {
  const content = aliasKinds.map((kind): [AliasKind, ReadonlyMap<string, Value>] => {
    const added = [...aliases.added(kind)];
    const managed = kind === 'projects' ? projects : undefined;
    return [kind, new Map(added.map(([alias, id]) => [alias, managed?.get(alias) ?? reference(kind, id)]))];
  });
  return new Map(content.filter(([, added]) => added.size > 0));
}

/** The alias of its project; empty if the project is unknown. */
export function projectOf({ statements }: StatedWorkspace): string {
  return String(statements.get('project')?.value ?? '');
}

function projectContent(project: string, workspaces: readonly StatedWorkspace[], under: Layer): FileContent {
  const shared: Layer = project === '' ? new Map() : sharedLayer(workspaces, under);
  const hasTemplate = shared.size > 0;
  const over: Layer = hasTemplate ? new Map([...under, ['project', project], ...shared]) : under;
  const entries = [...workspaces]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((workspace): [string, WorkspaceContent] => [
      workspace.name,
      {
        ...(hasTemplate && { extends: project }),
        own: ownLayer(workspace, over),
        unmanaged: unmanagedKeys(workspace, over),
      },
    ]);
  return {
    ...nothing,
    templates: hasTemplate ? new Map([[project, new Map([['project', project], ...shared])]]) : new Map(),
    workspaces: new Map(entries),
  };
}

function joinContent(all: FileContent, part: FileContent): FileContent {
  return {
    ...all,
    templates: new Map([...all.templates, ...part.templates]),
    workspaces: new Map([...all.workspaces, ...part.workspaces].sort(([a], [b]) => (a < b ? -1 : 1))),
    teamAccess: new Map([...all.teamAccess, ...part.teamAccess]),
  };
}
