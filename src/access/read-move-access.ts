import { readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError } from '../model/attune-error.ts';
import { type Change, changesOf, projectsOfMove } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { findWorkspace, isUncreatedProject, resourcesOf } from '../model/state.ts';
import { ServiceError } from '../service/service-error.ts';

export interface AccessInput {
  readonly organization: string;
  /** How a project is shown, by its id. */
  readonly shown: (project: string) => string;
}

interface MoveAccessInput extends AccessInput {
  readonly changes: readonly Change[];
}

/**
 * Reads the team access of the projects that the plan moves workspaces between, one list for each that was not read. A
 * list that the token may not read, or that a snapshot lacks, stays unknown, with a note.
 */
export function readMoveAccess(
  source: LiveSource,
  live: Live,
  { changes, ...input }: MoveAccessInput,
): Promise<Live> {
  return readAccess(source, live, {
    ...input,
    projects: changesOf(changes, 'workspace').flatMap(projectsOfMove),
  });
}

/** What the moves of a later plan need: the access to the live projects of workspaces that are declared elsewhere. */
export function readDeclaredMoves(
  source: LiveSource,
  live: Live,
  { desired }: Pick<Configuration, 'desired'>,
): Promise<Live> {
  const { organization } = desired;
  const projects = resourcesOf(desired.resources.values(), 'workspace').flatMap(
    ({ name, attributes, declared }) => {
      const found = findWorkspace(live.state, name) ?? findWorkspace(live.state, declared?.renamedFrom ?? '');
      const project = found?.attributes.project;
      const moves = attributes.project !== undefined && attributes.project !== project;
      return moves && project !== undefined ? [project] : [];
    },
  );
  return readAccess(source, live, { organization, projects, shown: (project) => project });
}

/** Reads the team access of projects that was not read. */
async function readAccess(
  source: LiveSource,
  live: Live,
  { organization, shown, projects: wanted }: AccessInput & { readonly projects: readonly string[] },
): Promise<Live> {
  if (live.missing.includes('team-access')) return live;
  const known = new Set(live.projects);
  // No team has access to a project that does not exist yet.
  const unread = [...new Set(wanted)]
    .filter((project) => !known.has(project) && !isUncreatedProject(project))
    .sort();
  if (unread.length === 0) return live;
  const query = { organization, dialect: live.dialect, ...readsNothing };
  const readings = await Promise.all(
    unread.map(async (project) => ({
      project,
      outcome: await source.read({ ...query, projects: [project] }).catch(reasonOf),
    })),
  );
  const resources = new Map(live.state.resources);
  const projects = new Set(live.projects);
  const diagnostics: Diagnostic[] = [...live.diagnostics];
  for (const { project, outcome } of readings) {
    if ('reason' in outcome) diagnostics.push(unreadAccess(shown(project), outcome));
    else {
      for (const grant of resourcesOf(outcome.state.resources.values(), 'team-access'))
        resources.set(grant.address, grant);
      for (const read of outcome.projects) projects.add(read);
    }
  }
  return { ...live, state: { ...live.state, resources }, projects: [...projects], diagnostics };
}

interface Unread {
  readonly reason: string;
  readonly hint: string;
}

/** @throws the error if it does not mean that the list may not be read. */
function reasonOf(error: unknown): Unread {
  if (error instanceof ServiceError && [403, 404].includes(error.status))
    return {
      reason: 'this token may not read it',
      hint: 'use a token that may read the team access of the project, such as one of a team with admin access',
    };
  if (error instanceof AttuneError && error.code === 'bad-snapshot')
    return {
      reason: 'the snapshot does not contain it',
      hint: 'add the project under `projects`, and record a snapshot with `attune snapshot --everything --out`',
    };
  throw error;
}

function unreadAccess(project: string, { reason, hint }: Unread): Diagnostic {
  return note(
    'effects-unread',
    `the team access of ${project} is unknown: ${reason}, so what moves change for teams is not complete`,
    { hint },
  );
}
