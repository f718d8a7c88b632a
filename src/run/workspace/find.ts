import {
  type FindOptions,
  type FoundWorkspace,
  findWorkspaces,
  isPattern,
  type WorkspaceChoice,
} from '../../live/find-workspaces.ts';
import { lockHolder } from '../../live/included.ts';
import { readNames } from '../../live/read-names.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { resourcesOf } from '../../model/state.ts';
import { hintAt } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import type { WorkspaceEntry } from '../../model/workspace-entry.ts';
import { resolveProjects } from '../../resolve/resolve-projects.ts';
import type { Target } from './open-target.ts';

/** Workspaces as they were read. */
export type Found = readonly FoundWorkspace[];

/** The workspaces that a run works on; projects as an alias, a name or an id. */
export interface Choice extends WorkspaceChoice {
  /** Whether a pattern or a filter selects them, so that the service must be asked which they are. */
  readonly isOpen: boolean;
}

export function choiceOf({ names, projects, tags }: WorkspaceChoice): Choice {
  const all = [...new Set(names)];
  return { names: all, projects, tags, isOpen: all.some(isPattern) || projects.length + tags.length > 0 };
}

/**
 * Reads the selected workspaces.
 *
 * @throws {AttuneError} if a workspace or project does not exist.
 */
export async function find(
  choice: Choice,
  target: Target,
  options: Pick<FindOptions, 'bindings' | 'runs'> = {},
): Promise<Found> {
  const { organization, connection, configuration } = target;
  const { client } = connection;
  const dialect = connection.dialect ?? configuration.service.dialect;
  const namesOf = (kind: AliasKind) => readNames(client, organization, kind);
  const { workspaces, missing } = await findWorkspaces(
    client,
    { ...choice, projects: await resolveProjects(choice.projects, configuration, namesOf, '--project') },
    { organization, ...options, ...(dialect && { dialect }) },
  );
  if (missing.length > 0) throw noSuchWorkspace(missing, choice, target);
  return workspaces;
}

/** The same, but an empty result is an error. */
export async function findSome(
  choice: Choice,
  target: Target,
  options: Pick<FindOptions, 'bindings' | 'runs'> = {},
): Promise<Found> {
  const found = await find(choice, target, options);
  if (found.length > 0) return found;
  throw new AttuneError(
    `no workspace of ${target.organization} matches the names and filters, or none is visible to this token`,
    { code: 'unknown-name', hint: 'run `attune workspace list` to see the workspaces' },
  );
}

function noSuchWorkspace(missing: readonly string[], choice: Choice, target: Target): AttuneError {
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

export function lockOf({ resource, document }: FoundWorkspace): WorkspaceEntry['lock'] {
  const { lock } = resource.attributes;
  const { locked, reason } = isRecord(lock) ? lock : {};
  const by = lockHolder(document);
  return {
    locked: locked === true,
    ...(typeof reason === 'string' && { reason }),
    ...(locked === true && by && { by }),
  };
}
