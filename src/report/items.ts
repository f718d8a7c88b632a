import type { RiskKind } from '../check/risks.ts';
import type { AppliedChange, Ending } from '../model/apply-result.ts';
import type { Cause } from '../model/change.ts';
import type { Diagnostic, Severity, SourceLocation } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import type { ResourceKind } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { escapeTexts } from './escape-controls.ts';
import { type Paint, plain, type Style } from './paint.ts';
import type { ReportEntry, ReportKind } from './report.ts';
import { type Line, shownLine } from './values.ts';
import { countedFigure, figure, firstOf, lineWith, placeText } from './words.ts';

/** What a section lists. All texts are on one line each, with control characters escaped. */
export interface Item {
  /** `+`, `~` and `-` are changes, `!` needs attention, `?` is undeclared. */
  readonly sign: string;
  readonly label?: string | undefined;
  readonly head: string;
  /** The same without a section. @default the label and the head */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  /** The head and the detail of a risk where they are columns. */
  readonly columns?: Pick<Item, 'head' | 'detail'> | undefined;
  readonly place?: SourceLocation | undefined;
  /** The places of a group. @default the place */
  readonly places?: string | undefined;
  readonly rest: readonly Line[];
  /** Instead of the lines below, in a list that has another item with most of them. */
  readonly like?: string | undefined;
  readonly level: Severity;
  /** The code of a diagnostic, `change-<action>`, or what else it is. */
  readonly rule: string;
  readonly address?: string | undefined;
  readonly count?: number | undefined;
  readonly risks?: readonly string[] | undefined;
  /** The change as the plan has it: its texts are not escaped. */
  readonly change?: ShownChange | undefined;
  /** How a change ended, or all of a group. */
  readonly outcome?: Ending | undefined;
  readonly permissions?: readonly string[] | undefined;
  /** Another section has the other fields of the change. */
  readonly isContinued?: boolean | undefined;
  /** The changes of a group, or those that wait for a reason. */
  readonly members?: readonly Item[] | undefined;
  /** The members that no line of the group shows: with their values, or below its lines with their names if all are equal. */
  readonly unlisted?: readonly Item[] | undefined;
  readonly diagnostic?: Diagnostic | undefined;
  readonly risk?: ItemRisk | undefined;
}

interface ItemRisk {
  /** Absent for a root file that failed. */
  readonly kind?: RiskKind;
  /** Of a change that is sent, with `--base`. */
  readonly cause?: Cause | undefined;
  /** `high` destroys, removes a safeguard, or gives full control. */
  readonly level: 'high' | 'medium';
  readonly resources?: number | undefined;
  /** The position of its root file in the report. */
  readonly entry: number;
  /** The title of its root file, where the place is not in it and the report has several. */
  readonly root?: string | undefined;
  /** Whether its change or undeclared resource is an item, which has it among its `risks`. */
  readonly isListed: boolean;
}

export interface ShownEntry {
  readonly entry: ReportEntry;
  readonly kind: ReportKind;
  readonly title: string;
  readonly index: number;
  readonly isJoint: boolean;
  readonly plan: Plan | undefined;
  readonly changes: readonly ShownChange[];
  readonly undeclared: readonly string[];
  /** Its figures in a sentence. */
  readonly summary: string;
  /** What its plan shows instead of changes if it has none. */
  readonly nothing: string | undefined;
}

export type ShownChange = PlannedChange | AppliedChange;

export const kindNouns: Readonly<Record<ResourceKind, string>> = {
  project: 'project',
  workspace: 'workspace',
  'team-access': 'grant',
};

export type RisksByAddress = ReadonlyMap<string, readonly string[]>;

export function textItem(rule: string, head: string, rest: readonly string[] = []): Item {
  return escapeTexts({ sign: '', head, rest, level: 'note', rule });
}

export function countOf(items: readonly Pick<Item, 'count'>[]): number {
  return items.reduce((sum, { count = 1 }) => sum + count, 0);
}

export function limited(items: readonly Item[], most: number, hint = ''): readonly Item[] {
  return [...groupBy(items, ({ rule, label }) => `${rule} ${label}`).values()].flatMap((same) => {
    const { shown, rest } = firstOf(same, most);
    const [first] = rest;
    if (first === undefined) return shown;
    const { sign, label, level, rule, risk } = first;
    return [
      ...shown,
      { sign, label, head: restText(rest) + hint, rest: [], level, rule, risk, count: countOf(rest) },
    ];
  });
}

function restText(rest: readonly Pick<Item, 'risk' | 'count'>[]): string {
  const known = rest.flatMap(({ risk }) => risk?.resources ?? []);
  const count = `${figure(countOf(rest))} more`;
  if (known.length === 0) return count;
  const sum = known.reduce((total, resources) => total + resources, 0);
  const unknown = rest.length - known.length;
  const open = unknown > 0 ? ` (unknown for ${countedFigure(unknown, 'workspace')})` : '';
  return `${count}, ${countedFigure(sum, 'managed resource')}${open}`;
}

export function itemLines(
  item: Item,
  paint: Paint = plain,
  isNarrow = false,
): readonly [string, ...string[]] {
  const { sign, label, head, detail, place, places = place && placeText(place), risk, like } = item;
  const what = label === undefined ? head : `${label}: ${head}`;
  const where = places ? paint('dim', places) : undefined;
  const indent = sign === '' ? '  ' : '    ';
  const beside = isNarrow ? [risk?.root, detail, like] : [risk?.root, detail, like, where];
  const width = isNarrow || item.places !== undefined ? 0 : sign === '' ? 45 : undefined;
  const line = lineWith(what, beside, width);
  const style = signStyles[sign] ?? (risk?.level === 'high' ? 'red' : 'yellow');
  return [
    sign === '' ? line : `${paint(style, sign)} ${line}`,
    ...(isNarrow && where ? [indent + where] : []),
    ...(like === undefined ? item.rest : []).map((one) => indent + shownLine(one)),
  ];
}

const signStyles: Readonly<Record<string, Style>> = { '+': 'green', '~': 'yellow', '-': 'red', '?': 'cyan' };
