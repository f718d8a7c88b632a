import { parse } from 'yaml';
import type { NamedId } from '../live/read-names.ts';
import type { Configuration } from '../model/configuration.ts';
import {
  grantAddress,
  projectAddress,
  type Resource,
  resourcesOf,
  workspaceAddress,
} from '../model/state.ts';
import { groupBy, isRecord, listTexts, type Value } from '../model/value.ts';
import { lookUpNames, type NamesOf, withFoundNames } from '../resolve/look-up-names.ts';
import { type ImportAliases, notesOnAliases } from './aliases.ts';
import { checkUnchanged, loadTexts, type Violation } from './check-files.ts';
import {
  type Composed,
  type ComposedFile,
  type ComposeInput,
  type ComposeProgress,
  contentCounts,
  dropViolations,
  schemaFor,
} from './compose.ts';
import { insertEntries } from './insert-entries.ts';
import { addedAliases, projectOf } from './lay-out.ts';
import { type Layer, ownLayer, unmanagedKeys } from './lift.ts';
import { createNotices } from './notices.ts';
import { notesOnIds, withoutIds } from './portable.ts';
import { aliasEntries, type FileContent, grantEntries, renderFile, workspacePairs } from './render-file.ts';
import { accessTable, stateOrganization } from './state-organization.ts';
import type { StatementPath } from './statement.ts';

export interface ExtendInput
  extends Pick<ComposeInput, 'reading' | 'selection' | 'full' | 'root' | 'schema' | 'portable'> {
  /** The texts of all files by path relative to the root file's folder. */
  readonly texts: ReadonlyMap<string, string>;
  /** Their declarations, with resolved names. */
  readonly configuration: Configuration;
  readonly namesOf: NamesOf;
}

/** Files that were added to. */
export interface Extended extends Composed {
  /** The texts of all files. */
  readonly texts: ReadonlyMap<string, string>;
  /** What they declare, with resolved names. */
  readonly configuration: Configuration;
}

/**
 * Adds undeclared live resources to files. Existing declarations are kept even if they differ from the live state, and
 * so is every byte of the existing text.
 *
 * @throws {AttuneError} if a file cannot be added to.
 */
export async function extend(input: ExtendInput): Promise<Extended> {
  const { root, namesOf, configuration: before } = input;
  const reading = { ...input.reading, live: withoutDeclared(input) };
  const notices = createNotices();
  const dropped = new Set<string>();
  const explicit: ExplicitPaths = new Map();
  for (;;) {
    const { files, added, aliases } = extendFiles(
      { ...input, reading },
      {
        notices,
        dropped,
        explicit,
      },
    );
    const texts = new Map([...input.texts, ...files.map(({ name, text }) => [name, text] as const)]);
    const chosen = (address: string) => added.has(address);
    const isChanged = files.length > 0;
    const violations = isChanged
      ? await checkUnchanged({ files: texts, root, live: reading.live, chosen, namesOf, before })
      : [];
    if (violations.length === 0) {
      const [extended] = isChanged ? (await loadTexts(texts, root)).configurations : [];
      return {
        files,
        texts,
        configuration: extended ? await lookUpNames(extended, namesOf) : before,
        diagnostics: [
          ...notesOnAliases(reading.unlisted, aliases),
          ...(input.portable ? notesOnIds(aliases, input.portable, reading) : []),
          ...notices.diagnostics(),
        ],
        omittedWorkspaces: notices.omittedWorkspaces(),
      };
    }
    if (!declareInstead(violations, explicit)) dropViolations(violations, { notices, dropped });
  }
}

/** Fields that workspaces declare although the defaults give their values, by address. */
type ExplicitPaths = Map<string, Set<string>>;

/** A template that selects an added workspace gives it values that it does not have: then the workspace declares its own. */
function declareInstead(violations: readonly Violation[], explicit: ExplicitPaths): boolean {
  const found = violations.flatMap(({ address = '', paths = [] }) =>
    paths.flatMap((path) => (explicit.get(address)?.has(path) ? [] : { address, path })),
  );
  for (const { address, path } of found)
    explicit.set(address, (explicit.get(address) ?? new Set<string>()).add(path));
  return found.length > 0;
}

/**
 * The undeclared live resources. Grants are compared by the ids of their projects and teams, because the files may use
 * other aliases; a workspace to be renamed is compared by its new name.
 */
function withoutDeclared({ reading: { live }, configuration }: ExtendInput): ExtendInput['reading']['live'] {
  const desired = [...configuration.desired.resources.values()];
  const declared = new Set(desired.map(identityOf));
  const resources = [...live.state.resources].filter(([, resource]) => !declared.has(identityOf(resource)));
  const taken = new Set(live.names.values());
  const renamed = new Map(
    desired.flatMap(({ kind, name, declared }) =>
      kind !== 'workspace' || declared?.renamedFrom === undefined || taken.has(name)
        ? []
        : [[declared.renamedFrom, name]],
    ),
  );
  const names = new Map([...live.names].map(([id, name]) => [id, renamed.get(name) ?? name]));
  return { ...live, names, state: { ...live.state, resources: new Map(resources) } };
}

/** Equal for a declared and a live resource that are the same one. */
function identityOf(resource: Resource): string {
  switch (resource.kind) {
    case 'project':
      return projectAddress(resource.id ?? resource.name);
    case 'workspace':
      return resource.address;
    case 'team-access': {
      const { project, team } = resource.attributes;
      return grantAddress(String(project), String(team));
    }
    default:
      return resource satisfies never;
  }
}

function extendFiles(
  input: ExtendInput,
  { explicit, ...progress }: ComposeProgress & { readonly explicit: ExplicitPaths },
): { files: ComposedFile[]; added: ReadonlySet<string>; aliases: ImportAliases } {
  const { configuration, root, portable } = input;
  const { workspaces, grants, aliases, ...stated } = stateOrganization({
    ...input,
    ...progress,
    declared: namedAliases(input),
    grantProjects: configuration.grantProjects,
  });
  const projects = portable ? withoutIds(stated.projects) : stated.projects;
  const include = includedBy(input.texts.get(root) ?? '');
  const placement = placementOf(configuration, { root, include, files: new Set(input.texts.keys()) });
  const defaults = defaultsIn(configuration);
  const idOf = (project: string) => aliases.idOf('projects', project) ?? '';
  const workspacesIn = groupBy(workspaces, (workspace) => {
    const project = projectOf(workspace);
    return placement.workspacesOf(idOf(project), project);
  });
  const grantsIn = groupBy(grants, ({ project, projectId }) => placement.grantsOf(projectId, project));
  const reference = portable?.reference;
  const aliasesIn = groupBy(addedAliases({ aliases, projects, reference }), ([kind]) =>
    aliasFile(kind, input),
  );
  const names = new Set([...workspacesIn.keys(), ...grantsIn.keys(), ...aliasesIn.keys()]);
  const files = [...names].sort().map((name) =>
    extendFile(
      name,
      { text: input.texts.get(name), schema: input.schema },
      {
        aliases: new Map(aliasesIn.get(name)),
        templates: new Map(),
        workspaces: new Map(
          (workspacesIn.get(name) ?? [])
            .sort((a, b) => (a.name < b.name ? -1 : 1))
            .map((workspace) => {
              const own = ownLayer(workspace, defaults, explicit.get(workspaceAddress(workspace.name)));
              return [workspace.name, { own, unmanaged: unmanagedKeys(workspace, defaults) }];
            }),
        ),
        teamAccess: accessTable(grantsIn.get(name) ?? []),
      },
    ),
  );
  const added = [
    ...workspaces.map(({ name }) => workspaceAddress(name)),
    ...grants.map(({ address }) => address),
    ...[...projects.keys()].map(projectAddress),
  ];
  return { files, added: new Set(added), aliases };
}

/** With the ids of names that only an alias uses: a live object that has such an alias needs no second one. */
function namedAliases({ configuration, reading: { names } }: ExtendInput): Configuration['aliases'] {
  const found = new Map([...names].map(([kind, known]) => [kind, namedIds(known)]));
  return withFoundNames(configuration, found, []).aliases;
}

function namedIds(known: ReadonlyMap<string, string>): readonly NamedId[] {
  return [...known].map(([id, name]) => ({ id, name }));
}

/** A file with additions; a new file contains nothing else. */
function extendFile(
  name: string,
  { text, schema }: { readonly text: string | undefined; readonly schema: string },
  content: FileContent,
): ComposedFile {
  const { aliases, workspaces, teamAccess } = content;
  const insertions = [
    ...[...aliases].map(([kind, ids]) => ({ path: [kind], entries: aliasEntries(ids) })),
    { path: ['workspaces'], entries: workspacePairs(workspaces) },
    ...[...teamAccess].map(([project, teams]) => ({
      path: ['team-access', project],
      entries: grantEntries(teams),
    })),
  ];
  return {
    name,
    text:
      text === undefined
        ? renderFile(content, schemaFor(name, schema))
        : insertEntries(text, name, insertions),
    ...contentCounts(content),
  };
}

/** The defaults of every workspace, as the files have them. */
function defaultsIn({ layered }: Configuration): Layer {
  const fields = layered.get('defaults')?.fields ?? new Map();
  return new Map([...fields].map(([path, { raw = null }]) => [path as StatementPath, raw]));
}

/** The file for new aliases: the one that declares others of their kind. */
function aliasFile(kind: string, { texts, root }: ExtendInput): string {
  const section = new RegExp(`^["']?${kind}["']?:`, 'm');
  const isHome = (file: string) => section.test(texts.get(file) ?? '');
  return isHome(root) ? root : ([...texts.keys()].find(isHome) ?? root);
}

/** The files for new resources. */
interface Placement {
  /** The file for the workspaces of a project; a new file must match a pattern of `include`. */
  workspacesOf(project: string, alias: string): string;
  /** The file for the grants of a project. */
  grantsOf(project: string, alias: string): string;
}

/**
 * Workspaces are added to the file with most workspaces of their project, grants to a file with grants of their
 * project. For a project without a file, a new file that matches a pattern under `include` is created, or the root file
 * is used.
 */
function placementOf(
  { desired }: Configuration,
  {
    root,
    include,
    files,
  }: {
    readonly root: string;
    readonly include: readonly string[];
    /** What declares a workspace can be a program, which takes no YAML. */
    readonly files: ReadonlySet<string>;
  },
): Placement {
  const resources = [...desired.resources.values()].filter(({ location }) => files.has(location?.file ?? ''));
  const homes = (kind: Resource['kind']) =>
    new Map(
      [...groupBy(resourcesOf(resources, kind), projectOfResource)].map(
        ([project, own]) => [project, mostCommonFile(own)] as const,
      ),
    );
  const workspaces = homes('workspace');
  const grants = homes('team-access');
  const newFile = (alias: string) => {
    const pattern = include.find((written) => /^[^*?[\]{}()!]*\*\.ya?ml$/.test(written));
    return pattern === undefined || alias === ''
      ? root
      : pattern.replace('*', () => alias).replace(/^\.\//, '');
  };
  const workspacesOf = (project: string, alias: string) =>
    workspaces.get(project) ?? grants.get(project) ?? newFile(alias);
  return {
    workspacesOf,
    grantsOf: (project, alias) => grants.get(project) ?? workspacesOf(project, alias),
  };
}

function projectOfResource({ attributes }: Resource): string {
  return String(attributes.project ?? '');
}

function mostCommonFile(resources: readonly Resource[]): string | undefined {
  const byFile = groupBy(
    resources.flatMap(({ location }) => location?.file ?? []),
    (file) => file,
  );
  return [...byFile].sort(([a, of], [b, more]) => more.length - of.length || (a < b ? -1 : 1))[0]?.[0];
}

/** The patterns under `include` of a root file that was loaded before and is therefore valid. */
function includedBy(text: string): readonly string[] {
  const data: unknown = parse(text, {
    version: '1.2',
    schema: 'core',
    merge: true,
    maxAliasCount: -1,
    logLevel: 'silent',
  });
  return listTexts(isRecord(data) ? (data.include as Value | undefined) : undefined);
}
