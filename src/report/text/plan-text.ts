import type { Action } from '../../model/change.ts';
import { type ChangeGroup, groupChanges, isGroup } from '../change-groups.ts';
import { noLongerDeclaredText, partHeadings } from '../change-parts.ts';
import type { ChangeView } from '../change-view.ts';
import { waveLine } from '../held-view.ts';
import type { Paint, Style } from '../paint.ts';
import type { ReportKind } from '../report.ts';
import type { EntryView, PlanView, UndeclaredView } from '../report-view.ts';
import { countedFigure } from '../words.ts';
import { driftLines, fieldLines, permissionLines } from './change-text.ts';
import { inheritedTagsText, inheritedText, moveSentence, stateAccessTexts } from './effects-text.ts';
import { groupText } from './group-text.ts';
import { riskLines } from './risk-text.ts';
import type { TextOptions } from './text-options.ts';

export const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };
export const actionStyles: Readonly<Record<Action, Style>> = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
};

/** Where the right-hand column of a change starts, counted from its address. */
const addressWidth = 45;

/** An entry with its plan, which the formats know to be there. */
export type PlannedEntryView = EntryView & { readonly plan: PlanView };

/** The plan for a terminal. */
export function planText(entry: PlannedEntryView, isJoint: boolean, options: TextOptions): string {
  const { plan, summary } = entry;
  const { paint, full = false } = options;
  const lines = [...headLines(entry, isJoint, options)];
  const changes = partLines(plan, paint, (part) =>
    groupChanges(part, { full }).flatMap((item) =>
      isGroup(item) ? groupLines(item, options) : changeLines(item, paint),
    ),
  );
  lines.push(...changes, ...heldLines(plan, 'plan', options), ...effectLines(plan, options));
  lines.push(...droppedLines(plan, paint), ...undeclaredLines(plan, paint));
  if (plan.changes.length === 0) lines.push(plan.nothing);
  lines.push(summary);
  return `${lines.join('\n')}\n`;
}

/** The lists of changes, with their headings if there is a base; each ends with an empty line. */
export function partLines(
  { parts, changes }: PlanView,
  paint: Paint,
  linesOf: (changes: readonly ChangeView[]) => readonly string[],
): string[] {
  if (changes.length === 0) return [];
  return parts.flatMap(({ heading: title, changes: part }) => {
    const listed = part.length === 0 ? ['  No changes.'] : linesOf(part);
    return [...(title === undefined ? [] : [paint('bold', title)]), ...listed, ''];
  });
}

/** What the base declares and the files no longer do. */
export function droppedLines({ noLongerDeclared: dropped }: PlanView, paint: Paint): string[] {
  if (dropped.length === 0) return [];
  const lines = dropped.map((one) => {
    const place = one.place ? paint('dim', `${one.place.file}:${one.place.line} (base)`) : '';
    return `  ${noLongerDeclaredText(one).padEnd(addressWidth)}  ${place}`.trimEnd();
  });
  return [paint('bold', partHeadings.dropped), ...lines, ''];
}

/** The heading, and what needs attention: a report of several root files begins with that of all. */
export function headLines(entry: PlannedEntryView, isJoint: boolean, options: TextOptions): string[] {
  const risks = isJoint ? [] : riskLines(entry.plan.risks, options);
  return [heading(entry, isJoint, options.paint), '', ...risks];
}

/** The organization and its service, after the root file if there are several. */
export function heading({ title, plan }: PlannedEntryView, isJoint: boolean, paint: Paint): string {
  const { organization, address } = plan;
  if (!isJoint || title === organization) return `${paint('bold', organization)}  ${address}`;
  return `${paint('bold', title)}  ${organization}  ${address}`;
}

function groupLines(group: ChangeGroup, { paint, hint }: TextOptions): string[] {
  const { head, rest } = groupText(group, 'plan', hint);
  return [`  ${paint(actionStyles.update, signs.update)} ${head}`, ...rest.map((text) => `      ${text}`)];
}

function changeLines(change: ChangeView, paint: Paint): string[] {
  return [
    `  ${changeLine(change, paint)}`,
    ...fieldLines(change).map((text) => `      ${text}`),
    ...permissionLines(change.permissions).map((text) => `        ${text}`),
  ];
}

/** Sign and address; on the right the mode of a delete and the declaring line. */
function changeLine({ action, address, word, recovery, place }: ChangeView, paint: Paint): string {
  const right = [
    ...(action === 'delete' ? [[word, recovery].filter(Boolean).join(', ')] : []),
    ...(place ? [`${place.file}:${place.line}`] : []),
  ].join('  ');
  const sign = paint(actionStyles[action], signs[action]);
  return `${sign} ${address.padEnd(addressWidth - 2)}  ${paint('dim', right)}`.trimEnd();
}

/** The maximum of changes that are listed for each reason; `--full` lists all. */
const maxHeld = 20;

/** What waits and why, and how far rollouts are. */
export function heldLines(
  { held }: PlanView,
  kind: ReportKind,
  { paint, full = false, hint }: TextOptions,
): string[] {
  if (held === undefined) return [];
  const groups = held.groups.flatMap(({ reason, changes }) => {
    const shown = full || changes.length <= maxHeld + 1 ? changes : changes.slice(0, maxHeld);
    const rest = changes.length - shown.length;
    return [
      `  ${reason}`,
      ...shown.flatMap((change) => [
        `    ${changeLine(change, paint)}`,
        ...(kind === 'drift' ? driftLines(change) : fieldLines(change)).map((line) => `        ${line}`),
      ]),
      ...(rest > 0 ? [`    ${countedFigure(rest, 'more change')}${hint}`] : []),
    ];
  });
  return [
    ...(groups.length > 0 ? [`${held.heading}:`, ...groups, ''] : []),
    ...held.rollouts.flatMap(({ id, waves }) => [
      `Rollout ${id}:`,
      ...waves.map((wave) => `  ${waveLine(wave)}`),
      '',
    ]),
    ...held.notes.flatMap((note) => [note, '']),
  ];
}

/** The maximum of workspaces whose state access is listed; `--full` lists all. */
const maxStateAccess = 20;

/** Effects that no field shows: state access, the access of teams after a move, and what is inherited. */
function effectLines(
  { stateAccess, moves, inheritedTags, inherited }: PlanView,
  { full = false, hint }: TextOptions,
): string[] {
  // One more workspace is as short as its count.
  const shown =
    full || stateAccess.length <= maxStateAccess + 1 ? stateAccess : stateAccess.slice(0, maxStateAccess);
  const rest = stateAccess.length - shown.length;
  const lines = [
    ...shown.flatMap((change) => stateAccessTexts(change)),
    ...(rest > 0 ? [`state of ${countedFigure(rest, 'more workspace')}${hint}`] : []),
    ...moves.flatMap((move) => {
      const { head, rest } = moveSentence(move);
      return [head, ...rest.map((line) => `  ${line}`)];
    }),
    ...inherited.map((one) => inheritedText(one, full ? {} : { names: maxStateAccess })),
    ...inheritedTags.map((tags) => inheritedTagsText(tags, full ? {} : { names: maxStateAccess })),
  ];
  return lines.length === 0 ? [] : ['Effects:', ...lines.map((line) => `  ${line}`), ''];
}

function undeclaredLines({ undeclared, undeclaredHint }: PlanView, paint: Paint): string[] {
  if (undeclared.length === 0) return [];
  return [
    'Undeclared (Attune does not change them):',
    ...undeclared.map((one) => `  ${paint('dim', '?')} ${undeclaredText(one, addressWidth - 2, paint)}`),
    ...(undeclaredHint === undefined ? [] : [`  Hint: ${undeclaredHint}`]),
    '',
  ];
}

/** An undeclared address, with the level of a grant and the line of its project. */
export function undeclaredText(
  { address, level, place }: UndeclaredView,
  width: number,
  paint: Paint,
): string {
  if (level === undefined) return address;
  const right = [level, ...(place ? [`${place.file}:${place.line}`] : [])].join('  ');
  return `${address.padEnd(width)}  ${paint('dim', right)}`;
}
