import { aliasOf } from '../desired/configuration.ts';
import {
  type Change,
  changesOf,
  permissionChanges,
  projectsOfMove,
  type WorkspaceChange,
} from '../model/change.ts';
import type { AccessLevel } from '../model/permissions.ts';
import type { Effects, GrantState, MoveEffect, Overview } from '../model/plan.ts';
import { inheritedSettingsOf, inheritedTagsOf } from './inherited-settings.ts';
import type { Labels } from './labels.ts';
import { type StateAccessInput, stateAccessOf } from './state-access.ts';

export interface EffectsInput extends StateAccessInput {
  readonly changes: readonly Change[];
  readonly overview: Overview;
  /** Ids of the projects whose grants were read. */
  readonly projects: readonly string[];
}

/** Effects that no field shows: access to state, permissions of teams after moves, and inherited settings and tags. */
export function effectsOf(input: EffectsInput): Effects {
  const { changes, overview, labels, projects } = input;
  const inheritedTags = inheritedTagsOf(input.before, input.after, labels);
  const inherited = inheritedSettingsOf(input);
  const read = new Set(projects.map((id) => aliasOf(labels.aliases, 'projects', id)));
  return {
    stateAccess: stateAccessOf(overview.workspaces, input),
    moves: changesOf(changes, 'workspace').flatMap((change) =>
      moveEffect(change, { overview, labels, read }),
    ),
    ...(inheritedTags.length > 0 && { inheritedTags }),
    ...(inherited.length > 0 && { inherited }),
  };
}

interface MoveContext {
  readonly overview: Overview;
  readonly labels: Labels;
  /** The projects whose grants were read, as they are shown. */
  readonly read: ReadonlySet<string>;
}

function moveEffect(change: WorkspaceChange, { overview, labels, read }: MoveContext): MoveEffect[] {
  const [from, to] = projectsOfMove(change).map((id) => aliasOf(labels.aliases, 'projects', id));
  if (from === undefined || to === undefined) return [];
  const unknown = [from, to].filter((name) => !read.has(name));
  // The grants of the old project as they are now against those of the new one as they will be.
  const had = new Map(
    overview.grants.filter((grant) => grant.project === from).map((grant) => [grant.team, grant.before]),
  );
  const has = new Map(
    overview.grants.filter((grant) => grant.project === to).map((grant) => [grant.team, grant.after]),
  );
  const teams = [...new Set([...had.keys(), ...has.keys()])].sort().flatMap((team) =>
    teamEffect(team, {
      before: unknown.includes(from) ? 'unknown' : (had.get(team) ?? null),
      after: unknown.includes(to) ? 'unknown' : (has.get(team) ?? null),
    }),
  );
  return [{ workspace: change.name, from, to, teams, unknown }];
}

type Access = GrantState | 'unknown' | null;

function teamEffect(
  team: string,
  { before, after }: { readonly before: Access; readonly after: Access },
): MoveEffect['teams'][number][] {
  if (before === 'unknown' || after === 'unknown') {
    // A team without access on the known side is one of those that the report sums up as unknown.
    if (before === null || after === null) return [];
    return [{ team, before: levelOf(before), after: levelOf(after), permissions: [] }];
  }
  const permissions = permissionChanges(before?.permissions, after?.permissions);
  return permissions.length === 0
    ? []
    : [{ team, before: levelOf(before), after: levelOf(after), permissions }];
}

function levelOf(access: Access): AccessLevel | 'unknown' | null {
  return access === 'unknown' ? access : (access?.access ?? null);
}
