import { type FoundWorkspace, findWorkspaces, type WorkspaceChoice } from '../../live/find-workspaces.ts';
import { readNames } from '../../live/read-names.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import { resourcesOf } from '../../model/state.ts';
import { hintAt } from '../../model/text.ts';
import { resolveProjects } from '../../resolve/look-up-names.ts';
import { openConnections } from '../connect.ts';
import type { RunContext } from '../context.ts';
import { chosenConfiguration, loadOptional } from '../load.ts';

/** Where workspaces are looked for: the organization of a root file, or another one on its service. */
export interface TargetOptions {
  readonly organization?: string | undefined;
  readonly config?: string | undefined;
}

export async function openTarget({ organization: wanted, config }: TargetOptions, context: RunContext) {
  // A file for another organization is not used.
  const loaded = await loadOptional(config === undefined ? [] : [config], context);
  const configuration = chosenConfiguration(wanted, loaded, context, 'workspace');
  const connections = await openConnections([configuration], context);
  const { organization } = configuration.desired;
  context.progress.begin(`${organization}: reading`);
  return {
    organization,
    connection: connections.at(0),
    configuration,
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

type Target = Omit<Awaited<ReturnType<typeof openTarget>>, typeof Symbol.asyncDispose>;

export async function findWorkspacesOf(
  choice: WorkspaceChoice,
  target: Target,
  {
    isNoneAllowed = false,
    ...options
  }: { readonly isNoneAllowed?: boolean; readonly bindings?: boolean; readonly runs?: boolean },
): Promise<readonly FoundWorkspace[]> {
  const { organization, connection, configuration } = target;
  const { client } = connection;
  const { dialect } = configuration.service;
  const namesOf = (kind: AliasKind) => readNames(client, organization, kind);
  const { workspaces, missing } = await findWorkspaces(
    client,
    { ...choice, projects: await resolveProjects(choice.projects, configuration, namesOf, '--project') },
    { organization, dialect, ...options },
  );
  if (missing.length > 0) throw noSuchWorkspace(missing, choice, target);
  if (workspaces.length > 0 || isNoneAllowed) return workspaces;
  throw new AttuneError(
    `no workspace of ${organization} matches the names and filters, or none is visible to this token`,
    { code: 'unknown-name', hint: 'run `attune workspace list` to see the workspaces' },
  );
}

function noSuchWorkspace(missing: readonly string[], choice: WorkspaceChoice, target: Target): AttuneError {
  const { organization, configuration } = target;
  const [first = ''] = missing;
  const chosen = choice.projects.length + choice.tags.length > 0 ? ' with these filters' : '';
  const nouns = missing.length === 1 ? 'workspace' : 'workspaces';
  const declared = resourcesOf(configuration.desired.resources.values(), 'workspace').map(({ name }) => name);
  return new AttuneError(
    `unknown ${nouns} ${missing.join(', ')}: not in organization ${organization}${chosen}, or not visible to this token`,
    {
      code: 'unknown-name',
      hint: hintAt(first, declared, 'run `attune workspace list` to see the workspaces'),
    },
  );
}
