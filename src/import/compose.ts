import type { ServiceSettings } from '../desired/configuration.ts';
import { workspaceNamePattern } from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { createAliases, type DeclaredAliases } from './aliases.ts';
import { checkLaw, type Violation } from './check-law.ts';
import { layOut } from './lay-out.ts';
import { createNotices, type Notices } from './notices.ts';
import type { OrganizationReading } from './read-organization.ts';
import { renderFile } from './render-file.ts';
import type { Selection } from './selection.ts';
import { type StatedGrant, stateGrant } from './state-grant.ts';
import { stateWorkspace } from './state-workspace.ts';
import type { StatedWorkspace } from './statement.ts';

export interface ComposeInput {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  readonly service: ServiceSettings;
  /** Values that are the service's documented defaults are written too. */
  readonly all: boolean;
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
 * not stay as it is live is left out, and told.
 *
 * @throws {AttuneError} where no file can be written that keeps the live state as it is.
 */
export async function compose(input: ComposeInput): Promise<Composed> {
  const notices = createNotices();
  const dropped = new Set<string>();
  for (;;) {
    const files = composeFiles(input, { notices, dropped });
    const violations = await checkLaw({
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
      return { files, diagnostics };
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
    message: `${file} is not of this import, and the new root file does not include it`,
    hint: 'remove it; or name it under include, once nothing in it stands twice',
  }));
}

/** What there is to say, on the way to files. */
export interface Said {
  readonly workspaces: readonly StatedWorkspace[];
  readonly grants: readonly StatedGrant[];
  readonly aliases: ReturnType<typeof createAliases>;
}

export interface Leaving {
  readonly notices: Notices;
  /** Addresses that turned out not to be declarable. */
  readonly dropped: Set<string>;
}

/** Says all that was read and that a file can say. */
export function say(
  { reading, selection, all }: Pick<ComposeInput, 'reading' | 'selection' | 'all'>,
  { notices, dropped }: Leaving,
  declared?: DeclaredAliases,
): Said {
  const { live, names } = reading;
  const resources = [...live.state.resources.values()].filter(({ address }) => !dropped.has(address));
  const aliases = createAliases(idsOf(resources), names, declared);
  const workspaces = resources.flatMap((resource) => {
    if (resource.kind !== 'workspace') return [];
    if (workspaceNamePattern.test(resource.name))
      return stateWorkspace(resource, { live, aliases, notices, all });
    notices.add(
      resource.address,
      'the workspace is left out: its name has other characters than A-Z a-z 0-9 - _',
    );
    return [];
  });
  const grants = resources.flatMap((resource) =>
    resource.kind === 'team-access' ? (stateGrant(resource, { aliases, notices, selection, all }) ?? []) : [],
  );
  return { workspaces, grants: grants.filter(({ address }) => !dropped.has(address)), aliases };
}

function composeFiles(input: ComposeInput, leaving: Leaving): ComposedFile[] {
  const { reading, service, root, single, standing } = input;
  const { workspaces, grants, aliases } = say(input, leaving);
  const contents = layOut({
    organization: reading.live.state.organization,
    service,
    workspaces,
    teamAccess: accessTable(grants),
    aliases,
    root,
    single,
    standing,
  });
  return [...contents].map(([name, content]) => ({
    name,
    text: renderFile(content),
    workspaces: content.workspaces.size,
    grants: [...content.teamAccess.values()].reduce((sum, teams) => sum + teams.size, 0),
  }));
}

/** Project -> team -> grant, sorted. */
export function accessTable(grants: readonly StatedGrant[]): ReadonlyMap<string, ReadonlyMap<string, Value>> {
  const table = new Map<string, Map<string, Value>>();
  for (const { project, team, value } of [...grants].sort((a, b) => (a.address < b.address ? -1 : 1))) {
    const teams = table.get(project) ?? new Map<string, Value>();
    table.set(project, teams.set(team, value));
  }
  return table;
}

/** Leaves out what violates the law, once. What then is still wrong, or concerns no resource, is a bug here. */
export function dropViolations(violations: readonly Violation[], { notices, dropped }: Leaving): void {
  for (const { address, reason } of violations) {
    if (address === undefined || dropped.has(address)) {
      throw new AttuneError(`no files can be written that leave everything as it is: ${reason}`, {
        code: 'not-importable',
        hint: 'nothing was written; import a part with --project, --name or --only',
      });
    }
    notices.add(address, `the whole of it is left out: ${reason}`);
  }
  for (const { address } of violations) if (address !== undefined) dropped.add(address);
}

function idsOf(resources: readonly Resource[]) {
  const ids = (...paths: readonly string[]) =>
    resources.flatMap(({ attributes }) =>
      paths.flatMap((path) => (typeof attributes[path] === 'string' ? [attributes[path]] : [])),
    );
  return {
    projects: ids('project'),
    teams: ids('team'),
    'ssh-keys': ids('ssh-key'),
    'agent-pools': ids('agent-pool-id'),
    'vcs-connections': ids('vcs-repo.oauth-token-id'),
  };
}
