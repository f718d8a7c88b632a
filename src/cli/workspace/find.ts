import type { Configuration } from '../../desired/configuration.ts';
import { suggestion } from '../../desired/suggestion.ts';
import {
  type FoundWorkspace,
  findWorkspaces,
  isPattern,
  type WorkspaceChoice,
} from '../../live/find-workspaces.ts';
import { readNames } from '../../live/read-names.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Target } from './target.ts';

/** What the command line says about which workspaces are meant; projects as they were written. */
export interface Choice extends WorkspaceChoice {
  /** Whether they are picked by a pattern or a filter, so that only the service knows which they are. */
  readonly isOpen: boolean;
}

export function choiceOf(names: readonly string[], flags: WorkspaceFlags): Choice {
  const { name = [], project: projects = [], tag: tags = [] } = flags;
  const all = [...new Set([...names, ...name])];
  return { names: all, projects, tags, isOpen: all.some(isPattern) || projects.length + tags.length > 0 };
}

/** @throws {AttuneError} where nothing says which workspaces are meant: all of them must be asked for. */
export function requireChoice({ names, projects, tags }: Choice, command: string): void {
  if (names.length + projects.length + tags.length > 0) return;
  throw new AttuneError(`attune workspace ${command} needs to know which workspaces`, {
    code: 'usage',
    hint: 'name them, or choose with --name "*-prod", --tag or --project',
  });
}

/**
 * Reads the workspaces that are meant.
 *
 * @throws {AttuneError} where one that is named does not exist, or a project is not known.
 */
export async function find(choice: Choice, target: Target): Promise<readonly FoundWorkspace[]> {
  const { organization, connection, configuration } = target;
  const { client } = connection;
  const dialect = connection.dialect ?? configuration?.service.dialect;
  const { workspaces, missing } = await findWorkspaces(
    client,
    { ...choice, projects: await projectIds(choice.projects, target) },
    { organization, ...(dialect && { dialect }) },
  );
  if (missing.length > 0) throw noSuchWorkspace(missing, choice, target);
  return workspaces;
}

function noSuchWorkspace(missing: readonly string[], choice: Choice, target: Target): AttuneError {
  const { organization, configuration } = target;
  const [first = ''] = missing;
  const chosen = choice.projects.length + choice.tags.length > 0 ? ' with these filters' : '';
  const nouns = missing.length === 1 ? 'workspace' : 'workspaces';
  const near = suggestion(first, declaredNames(configuration));
  return new AttuneError(
    `${organization} has no ${nouns} ${missing.join(', ')}${chosen}, or this token may not see it`,
    {
      code: 'no-such-workspace',
      hint: near?.startsWith('did') ? near : '`attune workspace list` tells what there is',
    },
  );
}

function declaredNames(configuration: Configuration | undefined): string[] {
  const resources = [...(configuration?.desired.resources.values() ?? [])];
  return resources.filter(({ kind }) => kind === 'workspace').map(({ name }) => name);
}

/** An alias of the files, the name of a project on the service, or an id, in that order. */
async function projectIds(written: readonly string[], target: Target): Promise<string[]> {
  const { organization, connection, configuration } = target;
  const aliases = configuration?.aliases.projects ?? new Map<string, string>();
  const isKnown = (project: string) => aliases.has(project) || project.startsWith('prj-');
  const projects = written.every(isKnown) ? [] : await readNames(connection.client, organization, 'projects');
  return written.map((project) => {
    const named = projects.find(({ name }) => name.toLowerCase() === project.toLowerCase())?.id;
    const id = aliases.get(project) ?? named ?? (isKnown(project) ? project : undefined);
    if (id !== undefined) return id;
    const hint = suggestion(project, [...aliases.keys(), ...projects.map(({ name }) => name)]);
    throw new AttuneError(
      `--project ${project}: ${organization} has no such project, or this token may not see it`,
      {
        code: 'unknown-project',
        ...(hint !== undefined && { hint }),
      },
    );
  });
}
