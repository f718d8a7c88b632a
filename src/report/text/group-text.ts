import type { ResourceKind } from '../../model/state.ts';
import type { ChangeGroup, GroupField } from '../change-groups.ts';
import type { ChangeView } from '../change-view.ts';
import type { ReportKind } from '../report.ts';
import { countedFigure, figure } from '../words.ts';
import { driftLine, fieldLine, permissionLines } from './change-text.ts';

/** A group of equal updates: its heading, and the lines below. */
export interface GroupText {
  readonly head: string;
  readonly rest: readonly string[];
}

/** What the members of a group are called. */
export const kindNouns: Readonly<Record<ResourceKind, string>> = {
  project: 'project',
  workspace: 'workspace',
  'team-access': 'grant',
};

/**
 * A group in the words of a report. One field is the heading itself:
 * `iac-version: 1.9.5 -> 1.10.2  2,000 workspaces  attune.yaml:5`.
 *
 * @param hint What follows the count of members that are not named.
 */
export function groupText(group: ChangeGroup, kind: ReportKind, hint = ''): GroupText {
  const { members, fields } = group;
  const lineOf = kind === 'drift' ? driftLine : fieldLine;
  const [first] = members;
  const permissions = kind === 'drift' ? [] : permissionLines(first?.permissions ?? []);
  const count = countedFigure(members.length, kindNouns[first?.kind ?? 'workspace']);
  const names = namesText(members, hint);
  const [only, another] = fields;
  if (only && another === undefined && permissions.length === 0)
    return { head: [lineOf(only.field), count, ...linesText(only.places)].join('  '), rest: [names] };
  return {
    head: count,
    rest: [
      ...fields.map(({ field, places }) => [lineOf(field), ...linesText(places)].join('  ')),
      ...permissions.map((line) => `  ${line}`),
      names,
    ],
  };
}

/** The line of a template, or the first of the members' own lines. */
function linesText(lines: GroupField['places']): string[] {
  const [first, ...others] = lines;
  if (first === undefined) return [];
  return [`${first.file}:${first.line}${others.length > 0 ? ` and ${figure(others.length)} more` : ''}`];
}

/** The maximum of members that are named. */
const maxNames = 5;

/** The first names, and how many more there are. */
export function namesText(members: readonly ChangeView[], hint = ''): string {
  // One more name is as short as its count.
  const shown = members.length <= maxNames + 1 ? members : members.slice(0, maxNames);
  const names = shown.map(({ address }) => address.slice(address.indexOf('.') + 1)).join(', ');
  const rest = members.length - shown.length;
  return rest > 0 ? `${names} and ${figure(rest)} more${hint}` : names;
}
