import type { Configuration } from '../desired/configuration.ts';
import type { NamesOf } from '../desired/look-up-names.ts';
import { groupBy } from '../model/group-by.ts';
import { grantAddress, type Resource, workspaceAddress } from '../model/state.ts';
import { checkLaw } from './check-law.ts';
import {
  accessTable,
  type Composed,
  type ComposedFile,
  type ComposeInput,
  dropViolations,
  type Leaving,
  say,
} from './compose.ts';
import { insertEntries } from './insert-entries.ts';
import { addedAliases, projectOf } from './lay-out.ts';
import { ownLayer } from './layer.ts';
import { createNotices } from './notices.ts';
import { placementOf } from './placement.ts';
import { type RootParts, readRoot } from './read-root.ts';
import { aliasEntries, grantEntries, renderFile, workspaceEntries } from './render-file.ts';

export interface ExtendInput extends Pick<ComposeInput, 'reading' | 'selection' | 'all' | 'root'> {
  /** The texts of all files by path relative to the root file's folder. */
  readonly texts: ReadonlyMap<string, string>;
  /** What they declare, names looked up. */
  readonly configuration: Configuration;
  readonly namesOf: NamesOf;
}

/**
 * Adds to files what is live and that they do not declare. What they do declare stays as it is, different or not, and so
 * does every byte of theirs.
 *
 * @returns the files that change; none where nothing is missing
 * @throws {AttuneError} where one cannot be added to.
 */
export async function extend(input: ExtendInput): Promise<Composed> {
  const { texts, root, namesOf } = input;
  const reading = { ...input.reading, live: withoutDeclared(input) };
  const notices = createNotices();
  const dropped = new Set<string>();
  const parts = readRoot(texts.get(root) ?? '');
  for (;;) {
    const { files, added } = extendFiles({ ...input, reading }, parts, { notices, dropped });
    const violations =
      files.length === 0
        ? []
        : await checkLaw({
            files: new Map([...texts, ...files.map(({ name, text }) => [name, text] as const)]),
            root,
            live: reading.live,
            chosen: (address) => added.has(address),
            namesOf,
          });
    if (violations.length === 0) {
      return { files, diagnostics: [...reading.diagnostics, ...notices.diagnostics()] };
    }
    dropViolations(violations, { notices, dropped });
  }
}

/** Grants are compared by the ids of their projects and teams, whatever the files call them. */
function withoutDeclared({ reading: { live }, configuration }: ExtendInput): ExtendInput['reading']['live'] {
  const pairOf = ({ kind, attributes, name }: Resource) =>
    kind === 'workspace' ? name : `${attributes.project}/${attributes.team}`;
  const declared = new Set([...configuration.desired.resources.values()].map(pairOf));
  const resources = [...live.state.resources].filter(([, resource]) => !declared.has(pairOf(resource)));
  return { ...live, state: { ...live.state, resources: new Map(resources) } };
}

function extendFiles(
  input: ExtendInput,
  parts: RootParts,
  leaving: Leaving,
): { files: ComposedFile[]; added: ReadonlySet<string> } {
  const { configuration, texts, root } = input;
  const { workspaces, grants, aliases } = say(input, leaving, configuration.aliases);
  const placement = placementOf(configuration, { root, include: parts.include });
  const idOf = (project: string) => aliases.idOf('projects', project) ?? '';
  const workspacesIn = groupBy(workspaces, (workspace) => {
    const project = projectOf(workspace);
    return placement.workspacesOf(idOf(project), project);
  });
  const grantsIn = groupBy(grants, ({ project }) => placement.grantsOf(idOf(project), project));
  const aliasesIn = groupBy(addedAliases(aliases), ([kind]) => aliasFile(kind, input));

  const names = new Set([...workspacesIn.keys(), ...grantsIn.keys(), ...aliasesIn.keys()]);
  const files = [...names].sort().map((name): ComposedFile => {
    const added = new Map(
      (workspacesIn.get(name) ?? [])
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((workspace) => [workspace.name, { own: ownLayer(workspace, parts.defaults) }]),
    );
    const access = accessTable(grantsIn.get(name) ?? []);
    const text = texts.get(name);
    const made =
      text === undefined
        ? renderFile({ aliases: new Map(), templates: new Map(), workspaces: added, teamAccess: access })
        : insertEntries(text, name, [
            ...(aliasesIn.get(name) ?? []).map(([kind, ids]) => ({
              path: [kind],
              entries: aliasEntries(ids),
            })),
            { path: ['workspaces'], entries: workspaceEntries(added) },
            ...[...access].map(([project, teams]) => ({
              path: ['team-access', configuration.grantProjects.get(idOf(project)) ?? project],
              entries: grantEntries(teams),
            })),
          ]);
    return { name, text: made, workspaces: added.size, grants: grantsIn.get(name)?.length ?? 0 };
  });
  const addresses = [
    ...workspaces.map(({ name }) => workspaceAddress(name)),
    ...grants.map(({ address, project, team }) => {
      const written = configuration.grantProjects.get(idOf(project));
      return written === undefined ? address : grantAddress(written, team);
    }),
  ];
  return { files, added: new Set(addresses) };
}

/** Aliases join those of their kind, wherever these stand. */
function aliasFile(kind: string, { texts, root }: ExtendInput): string {
  const section = new RegExp(`^["']?${kind}["']?:`, 'm');
  const isHome = (file: string) => section.test(texts.get(file) ?? '');
  return isHome(root) ? root : ([...texts.keys()].find(isHome) ?? root);
}
