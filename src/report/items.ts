import type { Severity, SourceLocation } from '../model/diagnostic.ts';
import type { NoLongerDeclared, UndeclaredGrant } from '../model/plan.ts';
import { type ChangeGroup, partTitles } from './change-lists.ts';
import { type ChangeView, changeTitle, signs } from './change-view.ts';
import { type DiagnosticView, type PathOf, placeOf } from './diagnostic-view.ts';
import { byAttention, type EntryView } from './entry-view.ts';
import { escapeTexts } from './escape-controls.ts';
import type { ReportKind } from './report.ts';
import type { RiskView } from './risk-view.ts';
import { changeLines, groupText } from './text/change-text.ts';
import { figure, placeText } from './words.ts';

export interface Item {
  /** `+`, `~` and `-` are changes, `!` is a risk or a change that was not made, `?` is undeclared. */
  readonly sign: string;
  /** What it is, on one line below the title of its section. */
  readonly head: string;
  /** The same without a section. @default head */
  readonly title?: string | undefined;
  /** What is shown beside `head`. */
  readonly detail?: string | undefined;
  readonly place?: SourceLocation | undefined;
  /** The lines below. */
  readonly rest: readonly string[];
  /** Why it needs attention. */
  readonly risks?: readonly string[] | undefined;
  readonly level: Severity;
  /** The code of a diagnostic, `change-<action>`, or what else it is. */
  readonly rule: string;
  readonly address?: string | undefined;
  /** How many resources it is about. @default 1 */
  readonly count?: number | undefined;
  readonly change?: ChangeView;
  readonly group?: ChangeGroup;
  /** The changes that wait for a reason. */
  readonly held?: readonly ChangeView[];
  readonly diagnostic?: DiagnosticView;
  /** Of what needs attention. */
  readonly risk?: ItemRisk;
}

export interface ItemRisk
  extends Pick<RiskView, 'label' | 'level' | 'address' | 'detail' | 'place' | 'resources'> {
  /** The position of its root file in the report. */
  readonly entry: number;
  /** The title of its root file, where the place is not in it and the report has several. */
  readonly root?: string;
  /** Whether its change or undeclared resource is an item, which has it among its `risks`. */
  readonly isListed: boolean;
}

export interface SectionOptions {
  /** Lists equal updates one by one instead of as a group, and all names. @default false */
  readonly full?: boolean | undefined;
  /** The end of a line that only counts the rest. @default nothing */
  readonly hint?: string | undefined;
  /** Lists changes by action also with a base; their lines have the causes. @default false */
  readonly byAction?: boolean | undefined;
}

/** The maximum of names and changes in an item that `full` does not limit. */
export const mostNamed = 20;

/** How a list has changes. */
export interface ChangeOptions extends SectionOptions {
  /** Why changes need attention, by address. */
  readonly risks: ReadonlyMap<string, readonly string[]>;
}

/** A change that is a risk is a warning. */
export function changeItem(
  change: ChangeView,
  kind: ReportKind,
  { risks, byAction = false }: ChangeOptions,
): Item {
  const { action, address, level, title, word, recovery, place, outcome } = change;
  const why = risks.get(address) ?? [];
  return {
    sign: outcome === undefined || outcome === 'done' ? signs[action] : '!',
    head: address,
    title,
    detail: action === 'delete' && kind !== 'drift' ? [word, recovery].filter(Boolean).join(', ') : undefined,
    place,
    rest: [...changeLines(change, kind), ...(byAction ? causeLines(change) : [])],
    risks: why,
    level: level === 'note' && why.length > 0 ? 'warning' : level,
    rule: `change-${action}`,
    address,
    change,
  };
}

export function groupItem(group: ChangeGroup, kind: ReportKind, options: ChangeOptions): Item {
  const [first] = group.members;
  const { byAction = false, hint } = options;
  // All members have the same risks.
  const { change: _change, address: _address, place, ...item } = changeItem(first, kind, options);
  const { head, rest } = groupText(group, kind, hint);
  const [shared = place] = group.fields.flatMap(({ places }) => places);
  return {
    ...item,
    head,
    title: changeTitle(kind, first.word, head),
    place: shared,
    rest: byAction ? [...rest, ...causeLines(first)] : rest,
    count: group.members.length,
    group,
  };
}

/** With a base: whether a creation or a deletion, or which fields of an update, come from this revision. */
function causeLines({ action, cause, fields }: ChangeView): readonly string[] {
  return (['change', 'drift'] as const).flatMap((one) => {
    const paths = fields.flatMap((field) => (field.cause === one ? field.path : []));
    if (action !== 'update') return cause === one ? [partTitles[one]] : [];
    return paths.length > 0 ? [`${partTitles[one]}: ${paths.join(', ')}`] : [];
  });
}

export function diagnosticItem(diagnostic: DiagnosticView): Item {
  const { code, severity, message, construct, policy, hint, place, address } = diagnostic;
  return {
    sign: '',
    head: construct === undefined ? message : `${message} (construct ${construct})`,
    title: policy === undefined ? code : `policy ${policy}`,
    place,
    rest: hint === undefined ? [] : [`hint: ${hint}`],
    level: severity,
    rule: policy === undefined ? code : policyRule(policy),
    address,
    diagnostic,
  };
}

/** The rule that a violation of a policy breaks. */
export function policyRule(id: string): string {
  return `policy/${id}`;
}

/** An item without a sign. */
export function textItem(rule: string, head: string, rest: readonly string[] = []): Item {
  return escapeTexts({ sign: '', head, rest, level: 'note', rule });
}

/** Its line is one of another revision. */
export function droppedItem({ address, field, location }: NoLongerDeclared, path: PathOf): Item {
  const head = field === undefined ? address : `${address}  ${field}`;
  const detail = location && `${placeText(placeOf(location, path))} (base)`;
  const title = `no longer declared: ${head}`;
  return escapeTexts({ ...textItem('no-longer-declared', head), title, detail, address });
}

/** An undeclared workspace or grant. */
export function undeclaredItem(
  address: string,
  grant: UndeclaredGrant | undefined,
  kind: ReportKind,
  { path, risks }: { readonly path: PathOf; readonly risks: readonly string[] | undefined },
): Item {
  return {
    ...escapeTexts({
      ...textItem('undeclared', address),
      sign: '?',
      title: `undeclared: ${address}`,
      address,
    }),
    detail: grant?.access,
    place: grant?.location && placeOf(grant.location, path),
    risks,
    level: kind === 'drift' || risks ? 'warning' : 'note',
  };
}

export function riskItem(rule: 'risk' | 'root-file', risk: ItemRisk): Item {
  const { address, label, detail, place } = risk;
  const head = `${label}: ${address}`;
  const level = rule === 'risk' ? 'warning' : 'error';
  return { sign: '!', head, detail: detail || undefined, place, rest: [], level, rule, address, risk };
}

/** The root files that have no plan, a refused plan, or changes that were not made. */
export function failureItems(entries: readonly EntryView[]): Item[] {
  const urgent = byAttention(entries.map((entry, index) => ({ ...entry, index }))).filter(
    ({ status }) => status === 'failed' || status === 'errors',
  );
  return urgent.map(({ index: entry, title: address, statusText: label, diagnostics, summary }) => {
    const [first, ...others] = diagnostics.filter(({ severity }) => severity === 'error');
    const more = others.length > 0 ? ` (and ${figure(others.length)} more)` : '';
    const detail = first ? first.message + more : summary;
    const { place } = first ?? {};
    return riskItem('root-file', { address, label, detail, place, level: 'high', entry, isListed: true });
  });
}
