import type { ServiceSettings } from '../desired/configuration.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { checkUnchanged, type Violation } from './check-unchanged.ts';
import { layOut } from './lay-out.ts';
import { createNotices, type Notices } from './notices.ts';
import type { OrganizationReading } from './read-organization.ts';
import { type FileContent, renderFile } from './render-file.ts';
import type { Selection } from './selection.ts';
import { accessTable, stateOrganization } from './state-organization.ts';
import type { ImportDetail } from './statement.ts';

export interface ComposeInput {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  readonly service: ServiceSettings;
  readonly detail: ImportDetail;
  /** The name of the root file. */
  readonly root: string;
  /** All in the root file. */
  readonly single: boolean;
  /** Files that stand in the folder of the projects' files by now. */
  readonly standing: readonly string[];
}

/** An import as the files that declare it. */
export interface Composed {
  readonly files: readonly ComposedFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many chosen workspaces are not in the files. */
  readonly omittedWorkspaces: number;
}

export interface ComposedFile {
  /** Relative to the root file's folder. */
  readonly name: string;
  readonly text: string;
  readonly workspaces: number;
  readonly grants: number;
}

/**
 * Writes the files of an import, and holds them against the live state before anybody sees them: a workspace that would
 * not stay as it is live is left out, with a notice.
 *
 * @throws {AttuneError} where no file can be written that keeps the live state as it is.
 */
export async function compose(input: ComposeInput): Promise<Composed> {
  const notices = createNotices();
  const dropped = new Set<string>();
  for (;;) {
    const files = composeFiles(input, { notices, dropped });
    const violations = await checkUnchanged({
      files: new Map(files.map(({ name, text }) => [name, text])),
      root: input.root,
      live: input.reading.live,
    });
    if (violations.length === 0) {
      const diagnostics = [
        ...input.reading.diagnostics,
        ...notices.diagnostics(),
        ...strangers(input, files),
      ];
      return { files, diagnostics, omittedWorkspaces: notices.omittedWorkspaces() };
    }
    dropViolations(violations, { notices, dropped });
  }
}

/** Files that somebody left where the import's are. */
function strangers({ single, standing }: ComposeInput, files: readonly ComposedFile[]): Diagnostic[] {
  const left = single ? [] : standing.filter((file) => !files.some(({ name }) => name === file));
  return left.map((file) => ({
    severity: 'warning',
    code: 'not-included',
    message: `${file} is not part of this import, and the new root file does not include it`,
    hint: 'remove the file, or add it to include and remove duplicate declarations',
  }));
}

/** What earlier attempts have found out. */
export interface ComposeProgress {
  readonly notices: Notices;
  /** Addresses that turned out not to be declarable. */
  readonly dropped: Set<string>;
}

function composeFiles(input: ComposeInput, progress: ComposeProgress): ComposedFile[] {
  const { reading, service, root, single, standing } = input;
  const { workspaces, grants, aliases } = stateOrganization({ ...input, ...progress });
  const contents = layOut({
    organization: reading.live.state.organization,
    service,
    workspaces,
    teamAccess: accessTable(grants),
    aliases,
    root,
    single,
    standing,
    detail: input.detail,
  });
  return [...contents].map(([name, content]) => ({
    name,
    text: renderFile(content),
    ...contentCounts(content),
  }));
}

export function contentCounts({ workspaces, teamAccess }: FileContent) {
  const grants = [...teamAccess.values()].reduce((sum, teams) => sum + teams.size, 0);
  return { workspaces: workspaces.size, grants };
}

/** Leaves out what would change, once. What then is still wrong, or concerns no resource, is a bug here. */
export function dropViolations(
  violations: readonly Violation[],
  { notices, dropped }: ComposeProgress,
): void {
  for (const { address, reason } of violations) {
    if (address === undefined || dropped.has(address)) {
      throw new AttuneError(`cannot write files whose plan has no changes: ${reason}`, {
        code: 'not-importable',
        hint: 'import a part with --project, --name or --only; no files were written',
      });
    }
    notices.omit(address, reason);
  }
  for (const { address } of violations) if (address !== undefined) dropped.add(address);
}
