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
import type { WorkspaceEntry } from '../../model/workspace-results.ts';
import { resolveProjects } from '../resolve-projects.ts';
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
    { code: 'no-such-workspace', hint: 'run `attune workspace list` to see the workspaces' },
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
      code: 'no-such-workspace',
      hint: hintAt(first, declared, 'run `attune workspace list` to see the workspaces'),
    },
  );
}

/** A workspace that a command leaves as it is, and why. */
export interface LeftWorkspace {
  readonly found: FoundWorkspace;
  readonly note: string;
}

/** Workspaces by the reason of their lock. */
export interface ByLockReason {
  /** Locked with the reason. */
  readonly chosen: Found;
  /** Locked otherwise, or named although they are not locked. */
  readonly left: readonly LeftWorkspace[];
  /** How many others are not locked. */
  readonly unlocked: number;
}

/**
 * Chooses the workspaces that are locked with a reason. Without a reason all are chosen.
 *
 * @param isOpen Whether the command line names no workspaces, so that those without a lock are only counted.
 */
export function byLockReason(found: Found, reason: string | undefined, isOpen: boolean): ByLockReason {
  if (reason === undefined) return { chosen: found, left: [], unlocked: 0 };
  const isChosen = (one: FoundWorkspace) => {
    const lock = lockOf(one);
    return lock.locked && (lock.reason ?? '') === reason;
  };
  const others = found.filter((one) => !isChosen(one));
  const isCounted = (one: FoundWorkspace) => isOpen && !lockOf(one).locked;
  return {
    chosen: found.filter(isChosen),
    left: others.filter((one) => !isCounted(one)).map((one) => ({ found: one, note: noteOf(one) })),
    unlocked: others.filter(isCounted).length,
  };
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

function noteOf(one: FoundWorkspace): string {
  const { locked, reason } = lockOf(one);
  if (!locked) return 'it is not locked';
  if (reason !== undefined) return `it is locked with another reason: ${reason}`;
  // The service returns null for a lock without a reason, and a service that hides the reason returns nothing.
  return one.document.attributes['locked-reason'] === undefined
    ? 'the service does not return the reason of its lock'
    : 'it is locked without a reason';
}
