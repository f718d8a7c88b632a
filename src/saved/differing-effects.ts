import { listDifference } from '../model/list-rule.ts';
import { type Plan, projectOfMembers, type StateAccessChange } from '../model/plan.ts';
import { nameOfAddress, workspaceAddress } from '../model/state.ts';
import { signedEntries } from '../model/text.ts';
import type { Value } from '../model/value.ts';

interface DifferingEffects {
  /** Of the first of them. */
  readonly address: string;
  /** With `-` what only the saved plan has, with `+` what only the new one has; equal ones of several workspaces once. */
  readonly lines: readonly string[];
}

/** The effects are compared under ids, if both plans have read them. */
export function differingEffects(saved: Plan, again: Plan): DifferingEffects | undefined {
  if (!isRead(saved) || !isRead(again)) return undefined;
  const { stateAccess = [] } = again.overview.effects ?? {};
  // The new plan can have read fewer readers of a state.
  const known = new Set(stateAccess.filter(hasNamedReaders).map(({ workspace }) => workspace));
  const { add, remove } = listDifference(effectLines(saved, known), effectLines(again, known));
  const [first] = [...add, ...remove];
  if (first === undefined) return undefined;
  const names = namesIn([again, saved]);
  const named = (line: string) => textIn(line).replace(/\b[\w-]+/g, (word) => names.get(word) ?? word);
  const lines = new Set(signedEntries(add.map(named), remove.map(named)));
  return { address: addressIn(first), lines: [...lines] };
}

function isRead({ diagnostics, overview: { effects } }: Plan): boolean {
  const isUnread = diagnostics.some(({ code }) => code === 'effects-unread');
  return !isUnread && effects !== undefined && effects.moves.every(({ unknown }) => unknown.length === 0);
}

function hasNamedReaders({ gains, loses }: StateAccessChange): boolean {
  return ![...gains, ...loses].some(projectOfMembers);
}

/** Each after its address. */
function effectLines({ overview: { effects } }: Plan, known: ReadonlySet<string>): readonly string[] {
  const { moves = [], stateAccess = [], inherited = [] } = effects ?? {};
  return [
    ...moves.flatMap(({ workspace, to, teams }) =>
      teams.map(({ team, before, after, permissions }) => {
        const custom = [before, after].includes('custom') ? ` ${JSON.stringify(permissions)}` : '';
        const levels = `${before ?? 'no access'} -> ${after ?? 'no access'}`;
        return `${workspaceAddress(workspace)} team ${team} on ${to}: ${levels}${custom}`;
      }),
    ),
    ...stateAccess
      .filter(({ workspace }) => known.has(workspace))
      .map(({ workspace, gains, loses }) => {
        const readers = signedEntries(gains, loses).join(' ');
        return `${workspaceAddress(workspace)} state of ${workspace}: ${readers}`;
      }),
    ...inherited.map(
      ({ address, path, before, after }) =>
        `${address} inherited ${path}: ${written(before)} -> ${written(after)}`,
    ),
  ];
}

function written(value: Value | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

const addressIn = (line: string) => line.slice(0, line.indexOf(' '));
const textIn = (line: string) => line.slice(line.indexOf(' ') + 1);

/** The first names of ids: aliases come before other names. */
function namesIn(plans: readonly Plan[]): ReadonlyMap<string, string> {
  const pairs = plans.flatMap(({ changes, overview: { ids } }) => [
    ...Object.values(ids ?? {}).flatMap((one) => Object.entries(one)),
    ...changes.map(({ address, id = '' }) => [nameOfAddress(address), id] as const),
  ]);
  return new Map(pairs.reverse().map(([name, id]) => [id, name]));
}
