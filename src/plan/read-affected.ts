import { type LiveQuery, noRelations } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError } from '../model/attune-error.ts';
import { type Change, changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isUncreatedProject, type Resource } from '../model/state.ts';

/** The query of the live state, and the changes that follow from it. */
export interface AffectedInput {
  readonly query: LiveQuery;
  readonly changes: readonly Change[];
}

/**
 * Reads the workspaces of the projects that a plan moves workspaces between or creates them in. Others of them may read
 * the state of these workspaces, or share theirs, through their project (interface, section 4.5).
 *
 * @returns the same live state if nothing is to be read
 */
export async function readAffected(
  source: LiveSource,
  live: Live,
  { query, changes }: AffectedInput,
): Promise<Live> {
  if (live.dialect !== 'terraform') return live;
  const touched = [...new Set(changesOf(changes, 'workspace').flatMap(projectsOf))].sort();
  const isRead = (project: string) => live.whole || coversProject(live, query, project);
  const wholeProjects = touched.filter(isRead);
  const unread = touched.filter((project) => !isRead(project));
  if (unread.length === 0) return live.whole || touched.length === 0 ? live : { ...live, wholeProjects };
  const { organization } = query;
  const members = await readOrNone(source, {
    organization,
    dialect: live.dialect,
    names: [],
    whole: false,
    scope: { projects: unread },
    ...noRelations,
    projects: [],
  });
  if (members === undefined)
    return { ...live, wholeProjects, diagnostics: [...live.diagnostics, unreadMembers(unread)] };
  return { ...withResources(live, members), wholeProjects: touched };
}

/** The projects that a workspace is created in, or moved from and to. No workspace is in one that does not exist yet. */
function projectsOf({ action, live, target }: Change): string[] {
  if (action === 'delete') return [];
  const [before, after] = [live?.attributes.project, target?.attributes.project];
  if (before === after) return [];
  return [before, after].filter((id): id is string => typeof id === 'string' && !isUncreatedProject(id));
}

/** Whether the scope that was read contains every workspace of a project. */
function coversProject({ scopeWhole }: Live, { scope }: LiveQuery, project: string): boolean {
  if (!scopeWhole || scope === undefined) return false;
  const { projects = [project], tags = [], names, tagged = {} } = scope;
  const isFiltered = names !== undefined || tags.length + Object.keys(tagged).length > 0;
  return projects.includes(project) && !isFiltered;
}

/** A snapshot may lack what only effects need. */
async function readOrNone(source: LiveSource, query: LiveQuery): Promise<Live | undefined> {
  try {
    return await source.read(query);
  } catch (error) {
    if (error instanceof AttuneError && error.code === 'bad-snapshot') return undefined;
    throw error;
  }
}

/** What was read first was compared, so it stays. */
function withResources(live: Live, more: Live): Live {
  const ids = new Set([...live.state.resources.values()].flatMap(({ kind, id }) => `${kind} ${id}`));
  const added = [...more.state.resources.values()].filter(
    ({ kind, id, address }: Resource) => !ids.has(`${kind} ${id}`) && !live.state.resources.has(address),
  );
  return {
    ...live,
    state: {
      ...live.state,
      resources: new Map([
        ...live.state.resources,
        ...added.map((resource) => [resource.address, resource] as const),
      ]),
    },
    names: new Map([...more.names, ...live.names]),
  };
}

function unreadMembers(projects: readonly string[]): Diagnostic {
  return {
    severity: 'note',
    code: 'effects-unread',
    message: `the snapshot does not contain every workspace of ${projects.join(', ')}: the effects of moves and creates on undeclared ones are unknown`,
    hint: 'record a snapshot of the whole organization with `attune snapshot --everything --out`',
  };
}
