import type { Action } from '../../model/change.ts';
import { groupChanges, isGroup, noLongerDeclaredTexts, partHeadings } from '../change-lists.ts';
import type { ChangeView } from '../change-view.ts';
import type { Paint, Style } from '../paint.ts';
import type { RenderOptions, ReportKind } from '../report.ts';
import type { EntryView, PlanView, UndeclaredView } from '../report-view.ts';
import { type RiskGroupView, type RiskLevel, type RiskView, restText } from '../risk-view.ts';
import { countedFigure, firstOf, placeText } from '../words.ts';
import { fieldLines, groupText, permissionLines } from './change-text.ts';
import { inheritedTagsText, inheritedText, moveSentence, stateAccessTexts } from './effects-text.ts';

/** How a report looks as text. */
export interface TextOptions extends RenderOptions {
  /** The end of a line that only counts the rest; empty in a file, because its readers cannot pass a flag. */
  readonly hint: string;
}

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
  const { paint } = options;
  const lines = [...headLines(entry, isJoint, options)];
  const list: ChangeList = {
    kind: 'plan',
    markOf: ({ action }) => `${paint(actionStyles[action], signs[action])} `,
    linesOf: (change) => paintedLines(change, paint),
  };
  const changes = partLines(plan, paint, (part) => listLines(part, list, options));
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
    const { what, where } = noLongerDeclaredTexts(one);
    return `  ${what.padEnd(addressWidth)}  ${where === '' ? '' : paint('dim', where)}`.trimEnd();
  });
  return [paint('bold', partHeadings.dropped), ...lines, ''];
}

/** The heading, and what needs attention: a report of several root files begins with that of all. */
export function headLines(entry: PlannedEntryView, isJoint: boolean, options: TextOptions): string[] {
  const risks = isJoint ? [] : riskLines(entry.plan.risks, options);
  return [heading(entry, isJoint, options.paint), '', ...risks];
}

/** The maximum of risks of one kind that are listed, of one root file and of several; `--full` lists all. */
const maxRisks = 5;
const maxJointRisks = 20;

const riskStyles: Readonly<Record<RiskLevel, Style>> = { high: 'red', medium: 'yellow' };

/** Where the details start. */
const detailColumn = 45;

/** What needs attention, one line for each risk, an empty line at the end. */
export function riskLines(groups: readonly RiskGroupView[], options: TextOptions, isJoint = false): string[] {
  if (groups.length === 0) return [];
  const most = options.full ? Number.POSITIVE_INFINITY : isJoint ? maxJointRisks : maxRisks;
  return [
    options.paint('bold', 'Needs attention:'),
    ...groups.flatMap((group) => riskGroupLines(group, most, options)),
    '',
  ];
}

function riskGroupLines(group: RiskGroupView, most: number, { paint, hint }: TextOptions): string[] {
  const { level, label, risks } = group;
  const { shown, rest } = firstOf(risks, most);
  const sign = paint(riskStyles[level], '!');
  return [
    ...shown.map((risk) => `  ${sign} ${riskLine(label, risk, paint)}`),
    ...(rest.length > 0 ? [`  ${sign} ${label}: ${restText(group, rest)}${hint}`] : []),
  ];
}

function riskLine(label: string, { address, root, detail, place }: RiskView, paint: Paint): string {
  const where = place ? paint('dim', placeText(place)) : '';
  const head = `${label}: ${address}`.padEnd(detailColumn - 2);
  return [head, root ?? '', detail, where]
    .filter((text) => text !== '')
    .join('  ')
    .trimEnd();
}

/** The organization and its service, after the root file if there are several. */
export function heading({ title, plan }: PlannedEntryView, isJoint: boolean, paint: Paint): string {
  const { organization, address } = plan;
  if (!isJoint || title === organization) return `${paint('bold', organization)}  ${address}`;
  return `${paint('bold', title)}  ${organization}  ${address}`;
}

/** How changes are listed. */
export interface ChangeList {
  readonly kind: keyof typeof indents;
  /** What precedes a change: its sign, the word of a difference, or its outcome. */
  readonly markOf: (change: ChangeView) => string;
  readonly linesOf: (change: ChangeView) => readonly string[];
}

/** Where the lines below a change start. */
export const indents = { plan: ' '.repeat(6), drift: ' '.repeat(16), apply: ' '.repeat(13) } as const;

/** Changes one by one, and equal updates as groups. */
export function listLines(
  changes: readonly ChangeView[],
  { kind, markOf, linesOf }: ChangeList,
  { full = false, hint }: TextOptions,
): string[] {
  return groupChanges(changes, { full }).flatMap((item) => {
    if (!isGroup(item)) return linesOf(item);
    const { head, rest } = groupText(item, kind, hint);
    return [`  ${markOf(item.members[0])}${head}`, ...rest.map((line) => indents[kind] + line)];
  });
}

function paintedLines(change: ChangeView, paint: Paint): string[] {
  return [
    `  ${changeLine(change, paint)}`,
    ...fieldLines(change, 'plan').map((text) => indents.plan + text),
    ...permissionLines(change.permissions).map((text) => `${indents.plan}  ${text}`),
  ];
}

/** Sign and address; on the right the mode of a delete and the declaring line. */
function changeLine({ action, address, word, recovery, place }: ChangeView, paint: Paint): string {
  const right = [
    ...(action === 'delete' ? [[word, recovery].filter(Boolean).join(', ')] : []),
    ...(place ? [placeText(place)] : []),
  ].join('  ');
  const sign = paint(actionStyles[action], signs[action]);
  return `${sign} ${address.padEnd(addressWidth - 2)}  ${paint('dim', right)}`.trimEnd();
}

/** The maximum of changes that are listed for each reason; `--full` lists all. */
const maxHeld = 20;

/** What waits and why. */
export function heldLines(
  { held }: PlanView,
  kind: ReportKind,
  { paint, full = false, hint }: TextOptions,
): string[] {
  if (held === undefined) return [];
  const groups = held.groups.flatMap(({ reason, changes }) => {
    const { shown, rest } = firstOf(changes, full ? changes.length : maxHeld);
    return [
      `  ${reason}`,
      ...shown.flatMap((change) => [
        `    ${changeLine(change, paint)}`,
        ...fieldLines(change, kind).map((line) => `        ${line}`),
      ]),
      ...(rest.length > 0 ? [`    ${countedFigure(rest.length, 'more change')}${hint}`] : []),
    ];
  });
  return [
    ...(groups.length > 0 ? [`${held.heading}:`, ...groups, ''] : []),
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
  const { shown, rest } = firstOf(stateAccess, full ? stateAccess.length : maxStateAccess);
  const lines = [
    ...shown.flatMap((change) => stateAccessTexts(change)),
    ...(rest.length > 0 ? [`state of ${countedFigure(rest.length, 'more workspace')}${hint}`] : []),
    ...moves.flatMap((move) => {
      const { head, rest: below } = moveSentence(move);
      return [head, ...below.map((line) => `  ${line}`)];
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
  const right = [level, ...(place ? [placeText(place)] : [])].join('  ');
  return `${address.padEnd(width)}  ${paint('dim', right)}`;
}
