import { selectedNamePattern, selectedTagPattern } from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { ServiceSettings } from '../model/configuration.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import { isRecord } from '../model/value.ts';
import { type ImportAliases, notesOnAliases } from './aliases.ts';
import { checkUnchanged, type Violation } from './check-files.ts';
import { layOut } from './lay-out.ts';
import { createNotices, type ImportNotices } from './notices.ts';
import { notesOnIds, type PortableNames, withoutIds } from './portable.ts';
import type { OrganizationReading } from './read-organization.ts';
import { type FileContent, renderFile, type WrittenScope } from './render-file.ts';
import type { Selection } from './selection.ts';
import { accessTable, stateOrganization } from './state-organization.ts';

export interface ComposeInput {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  readonly service: ServiceSettings;
  /** Whether values that equal the documented defaults are written, too. */
  readonly full: boolean;
  /** Whether the root file gets a scope. */
  readonly isScoped: boolean;
  /** The address of the schema for files beside the root file. */
  readonly schema: string;
  /** The name of the root file. */
  readonly root: string;
  /** Whether to write a single file, the root file. */
  readonly single: boolean;
  /** Existing files in the folder of the projects' files. */
  readonly standing: readonly string[];
  /** Writes names instead of ids. */
  readonly portable?: PortableNames | undefined;
}

/** The files that declare an import. */
export interface Composed {
  readonly files: readonly ComposedFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Number of selected workspaces that are not in the files. */
  readonly omittedWorkspaces: number;
  /** The scope of the new root file. */
  readonly scope?: WrittenScope;
}

export interface ComposedFile {
  /** Relative to the root file's folder. */
  readonly name: string;
  readonly text: string;
  readonly workspaces: number;
  readonly grants: number;
  /** Managed ones. */
  readonly projects: number;
}

/**
 * Generates the files of an import, and compares them with the live state before they are written: a workspace that the
 * first plan would change is omitted, with a notice.
 *
 * @throws {AttuneError} if no file can be written that keeps the live state as it is.
 */
export async function compose(input: ComposeInput): Promise<Composed> {
  const notices = createNotices();
  const dropped = new Set<string>();
  for (;;) {
    const { portable, reading } = input;
    const { files, aliases, scope } = composeFiles(input, { notices, dropped });
    const violations = await checkUnchanged({
      files: new Map(files.map(({ name, text }) => [name, text])),
      root: input.root,
      live: reading.live,
      ...(portable && { namesOf: portable.namesOf }),
    });
    if (violations.length === 0) {
      const diagnostics = [
        ...notesOnAliases(reading.unlisted, aliases),
        ...(portable ? notesOnIds(aliases, portable, reading) : []),
        ...notices.diagnostics(),
        ...strangers(input, files),
      ];
      const omittedWorkspaces = notices.omittedWorkspaces();
      return { files, diagnostics, omittedWorkspaces, ...(scope && { scope }) };
    }
    dropViolations(violations, { notices, dropped });
  }
}

/** Reports existing files that are not part of the import in the folder of its files. */
function strangers({ single, standing }: ComposeInput, files: readonly ComposedFile[]): Diagnostic[] {
  const left = single ? [] : standing.filter((file) => !files.some(({ name }) => name === file));
  return left.map((file) =>
    warning('not-included', `${file} is not part of this import, and the new root file does not include it`, {
      hint: 'remove the file, or add it to include and remove duplicate declarations',
    }),
  );
}

/** The results of earlier attempts. */
export interface ComposeProgress {
  readonly notices: ImportNotices;
  /** Addresses that cannot be declared. */
  readonly dropped: Set<string>;
}

function composeFiles(
  input: ComposeInput,
  progress: ComposeProgress,
): Pick<Composed, 'files' | 'scope'> & { readonly aliases: ImportAliases } {
  const { reading, root, single, standing, portable } = input;
  const { grants, aliases, workspaces, projects } = stateOrganization({ ...input, ...progress });
  const scope = input.isScoped ? scopeOfImport(input.selection, aliases) : undefined;
  const contents = layOut({
    scope,
    organization: reading.live.state.organization,
    service: input.service,
    workspaces,
    teamAccess: accessTable(grants),
    aliases,
    projects: portable ? withoutIds(projects) : projects,
    reference: portable?.reference,
    root,
    single,
    standing,
  });
  const files = [...contents].map(([name, content]) => ({
    name,
    text: renderFile(content, schemaFor(name, input.schema)),
    ...contentCounts(content),
  }));
  return { files, aliases, ...(scope && { scope }) };
}

/**
 * The ownership of a new root file: the part of the organization that was selected, so that drift shows what is created there
 * manually. A selection of addresses has none, and neither has one that a file cannot declare.
 */
function scopeOfImport(
  { projects, tags, names, only }: Selection,
  aliases: ImportAliases,
): WrittenScope | undefined {
  if (only && only.length > 0) return undefined;
  const isDeclarable =
    (names ?? []).every((name) => selectedNamePattern.test(name)) &&
    (tags ?? []).every((tag) => selectedTagPattern.test(tag));
  if (!isDeclarable) return undefined;
  if (!projects && !tags && !names) return { names: ['*'] };
  return {
    ...(projects && { projects: projects.map((id) => aliases.use('projects', id) ?? id) }),
    ...(tags && { tags }),
    ...(names && { names }),
  };
}

/** The schema as a file in a folder below the root file names it. */
export function schemaFor(name: string, schema: string): string {
  const depth = name.split('/').length - 1;
  if (!schema.startsWith('.') || depth === 0) return schema;
  return '../'.repeat(depth) + schema.replace(/^\.\//, '');
}

export function contentCounts({ aliases, workspaces, teamAccess }: FileContent) {
  const grants = [...teamAccess.values()].reduce((sum, teams) => sum + teams.size, 0);
  const projects = [...(aliases.get('projects')?.values() ?? [])].filter(isRecord).length;
  return { workspaces: workspaces.size, grants, projects };
}

/** Omits resources that would change, once. A remaining violation, or one without a resource, is a defect of Attune. */
export function dropViolations(
  violations: readonly Violation[],
  { notices, dropped }: ComposeProgress,
): void {
  for (const { address, reason } of violations) {
    if (address === undefined || dropped.has(address)) {
      throw new AttuneError(`cannot write files whose plan has no changes: ${reason}`, {
        code: 'not-importable',
        hint: 'import a part, such as one project or some names; no files were written',
      });
    }
    notices.omit(address, reason);
  }
  for (const { address } of violations) if (address !== undefined) dropped.add(address);
}
