import { aliasOf } from '../diff/alias-of.ts';
import { listDifference } from '../diff/list-rule.ts';
import type { Change } from '../model/change.ts';
import { permissionChanges } from '../model/permission-changes.ts';
import type { Effects, MoveEffect, Overview, StateAccessChange } from '../model/plan.ts';
import type { Labels } from './labels.ts';

/** What the changes mean: who gains or loses reading whose state, and what a move does to the teams' permissions. */
export function effectsOf(changes: readonly Change[], overview: Overview, labels: Labels): Effects {
  return {
    stateAccess: overview.workspaces.flatMap(({ name, readers }) => stateAccess(name, readers)),
    moves: changes.flatMap((change) => moveEffect(change, overview, labels)),
  };
}

function stateAccess(
  workspace: string,
  { before, after }: Overview['workspaces'][number]['readers'],
): StateAccessChange[] {
  // Whoever is named keeps reading what all may read.
  if (after === '*') return before === '*' ? [] : [{ workspace, gains: ['*'], loses: [] }];
  // What is not declared is not read, and not changed either.
  if (before === null || after === null) return [];
  const { add, remove } = listDifference(asList(before), after);
  return add.length + remove.length === 0 ? [] : [{ workspace, gains: add, loses: remove }];
}

function asList(readers: readonly string[] | '*'): readonly string[] {
  return readers === '*' ? ['*'] : readers;
}

function moveEffect(change: Change, overview: Overview, { aliases }: Labels): MoveEffect[] {
  const project = change.fields.find(({ path }) => path === 'project');
  if (
    change.kind !== 'workspace' ||
    typeof project?.before !== 'string' ||
    typeof project.after !== 'string'
  ) {
    return [];
  }
  const from = aliasOf(aliases, 'projects', project.before);
  const to = aliasOf(aliases, 'projects', project.after);
  const known = new Set(overview.grants.map((grant) => grant.project));
  // The grants of the old project as they are now against those of the new one as they will be.
  const had = new Map(
    overview.grants.filter((grant) => grant.project === from).map((grant) => [grant.team, grant.before]),
  );
  const has = new Map(
    overview.grants.filter((grant) => grant.project === to).map((grant) => [grant.team, grant.after]),
  );
  const teams = [...new Set([...had.keys(), ...has.keys()])].sort().flatMap((team) => {
    const before = had.get(team) ?? null;
    const after = has.get(team) ?? null;
    const permissions = permissionChanges(before?.permissions, after?.permissions);
    return permissions.length === 0
      ? []
      : [{ team, before: before?.access ?? null, after: after?.access ?? null, permissions }];
  });
  return [
    { workspace: change.name, from, to, teams, unknown: [from, to].filter((name) => !known.has(name)) },
  ];
}
