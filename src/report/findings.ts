import type { Ending } from '../model/apply-result.ts';
import { type Severity, type SourceLocation, severities } from '../model/diagnostic.ts';
import {
  type ChangeGroup,
  groupChanges,
  isGroup,
  type NoLongerDeclaredView,
  noLongerDeclaredTexts,
  partHeadings,
} from './change-lists.ts';
import { type ChangeView, changeTitle } from './change-view.ts';
import type { DiagnosticView } from './diagnostic-view.ts';
import type { ReportKind } from './report.ts';
import type { EntryView, UndeclaredView } from './report-view.ts';
import { type RiskGroupView, resourcesText } from './risk-view.ts';
import { changeLines, groupText } from './text/change-text.ts';

/** A diagnostic, a change, an undeclared workspace or grant, or what is no longer declared: one item of the formats that list findings at lines of files. */
export interface Finding {
  readonly about: 'diagnostic' | 'change';
  /** The code of a diagnostic, `policy/<id>`, `change-<action>`, `undeclared` or `no-longer-declared`. */
  readonly rule: string;
  readonly level: Severity;
  readonly title: string;
  /** Everything, one line each; a diagnostic begins with its message, a change with its title. */
  readonly lines: readonly string[];
  /** Why it needs attention; `lines` have them, too. */
  readonly risks?: readonly string[];
  readonly place?: SourceLocation | undefined;
  /** Of a change. */
  readonly address?: string;
  /** The id of the policy that a diagnostic is about. */
  readonly policy?: string | undefined;
  /** Of a change, once apply has begun. */
  readonly outcome?: Ending | undefined;
}

/** The diagnostics, the changes, the undeclared workspaces and grants. */
export function findingsOf(
  { kind, diagnostics, plan, failed, source }: EntryView,
  { grouped = false } = {},
): readonly Finding[] {
  // An apply does not read the scope again, so its result does not list undeclared workspaces.
  const undeclared = plan && !plan.applied ? plan.undeclared : [];
  const changes = plan?.changes ?? [];
  const risks = riskTexts(plan?.risks ?? []);
  // The reason of a root file that fails is shown at its first line if no other line is to blame.
  const root = failed && source !== undefined ? { file: source, line: 1, column: 1 } : undefined;
  const listed = new Set([...changes, ...undeclared].map(({ address }) => address));
  return [
    ...diagnostics.map((one) => diagnosticFinding(one, root)),
    ...groupChanges(changes, { full: !grouped, beside: ({ address }) => risks.get(address) }).map((item) =>
      isGroup(item) ? groupFinding(item, kind, risks) : changeFinding(item, kind, risks.get(item.address)),
    ),
    ...[...risks].flatMap(([address, lines]) => (listed.has(address) ? [] : [riskFinding(address, lines)])),
    ...undeclared.map((one) =>
      undeclaredFinding(one, { kind, risks: risks.get(one.address), hint: plan?.undeclaredHint }),
    ),
    ...droppedFindings(plan?.noLongerDeclared ?? []),
  ];
}

/** The most severe first; of equal ones the diagnostics and deletions. */
export function rankedFindings(findings: readonly Finding[]): readonly Finding[] {
  const isFirst = ({ about, rule }: Finding) => about === 'diagnostic' || rule === 'change-delete';
  const deletesFirst = [...findings.filter(isFirst), ...findings.filter((one) => !isFirst(one))];
  return severities.flatMap((severity) => deletesFirst.filter(({ level }) => level === severity));
}

/** The risks of each address, as lines such as `auto-apply on: auto-apply: false -> true`. */
function riskTexts(groups: readonly RiskGroupView[]): ReadonlyMap<string, readonly string[]> {
  const byAddress = new Map<string, string[]>();
  for (const { kind, label, risks } of groups) {
    for (const { address, detail, resources } of risks) {
      // The title has the mode of a delete.
      const what = kind === 'delete' && detail !== '' ? resourcesText(resources) : detail;
      const line = what === '' ? label : `${label}: ${what}`;
      byAddress.set(address, [...(byAddress.get(address) ?? []), line]);
    }
  }
  return byAddress;
}

/** A risk without a change: a workspace whose state others can no longer read. */
function riskFinding(address: string, lines: readonly string[]): Finding {
  const title = `needs attention: ${address}`;
  const shown = { title, lines: [title, ...lines], risks: lines };
  return { about: 'change', rule: 'risk', level: 'warning', ...shown, address };
}

function diagnosticFinding(diagnostic: DiagnosticView, root: SourceLocation | undefined): Finding {
  const { code, severity, message, construct, policy, hint, place = root } = diagnostic;
  return {
    about: 'diagnostic',
    rule: policy === undefined ? code : policyRule(policy),
    level: severity,
    title: policy === undefined ? code : `policy ${policy}`,
    lines: [
      construct === undefined ? message : `${message} (construct ${construct})`,
      ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ],
    policy,
    place,
  };
}

/** The rule that a violation of a policy breaks. */
export function policyRule(id: string): string {
  return `policy/${id}`;
}

/** A change that is a risk is a warning, and its risks come first. */
function changeFinding(change: ChangeView, kind: ReportKind, risks: readonly string[] = []): Finding {
  const { action, address, level, title, place, outcome } = change;
  return {
    about: 'change',
    rule: `change-${action}`,
    level: level === 'note' && risks.length > 0 ? 'warning' : level,
    title,
    lines: [
      title,
      ...risks.map((risk) => `needs attention: ${risk}`),
      ...changeLines(change, kind),
      ...causeLines(change),
    ],
    risks,
    address,
    place,
    outcome,
  };
}

function groupFinding(
  group: ChangeGroup,
  kind: ReportKind,
  risks: ReadonlyMap<string, readonly string[]>,
): Finding {
  const [first] = group.members;
  const { head, rest } = groupText(group, kind);
  const shared = group.fields.flatMap(({ places }) => places)[0];
  // All members have the same risks.
  const own = risks.get(first.address) ?? [];
  const { address: _address, place, ...finding } = changeFinding(first, kind, own);
  const title = changeTitle(kind, first.word, head);
  const lines = own.map((risk) => `needs attention: ${risk}`);
  const location = shared ?? place;
  return {
    ...finding,
    title,
    lines: [title, ...lines, ...rest, ...causeLines(first)],
    place: location,
  };
}

/** With a base: whether a creation or a deletion, or which fields of an update, come from this revision. */
function causeLines({ action, cause, fields }: ChangeView): readonly string[] {
  return (['change', 'drift'] as const).flatMap((one) => {
    const paths = fields.flatMap((field) => (field.cause === one ? field.path : []));
    if (action !== 'update') return cause === one ? [partHeadings[one]] : [];
    return paths.length > 0 ? [`${partHeadings[one]}: ${paths.join(', ')}`] : [];
  });
}

/** What the base declares and the files no longer do is one finding: its lines are those of another revision. */
function droppedFindings(dropped: readonly NoLongerDeclaredView[]): readonly Finding[] {
  if (dropped.length === 0) return [];
  const title = partHeadings.dropped;
  const lines = dropped.map((one) => {
    const { what, where } = noLongerDeclaredTexts(one);
    return `${what}  ${where}`.trimEnd();
  });
  return [{ about: 'change', rule: 'no-longer-declared', level: 'note', title, lines: [title, ...lines] }];
}

interface UndeclaredContext {
  readonly kind: ReportKind;
  readonly risks: readonly string[] | undefined;
  /** What to do about a grant. */
  readonly hint: string | undefined;
}

function undeclaredFinding(
  { address, level: access, place }: UndeclaredView,
  { kind, risks = [], hint }: UndeclaredContext,
): Finding {
  const title = `undeclared: ${address}`;
  const level = kind === 'drift' || risks.length > 0 ? 'warning' : 'note';
  const lines = [
    title,
    ...risks.map((risk) => `needs attention: ${risk}`),
    ...(access === undefined ? [] : [`access: ${access}`]),
    ...(access === undefined || hint === undefined ? [] : [`hint: ${hint}`]),
  ];
  return {
    about: 'change',
    rule: 'undeclared',
    level,
    title,
    lines,
    risks,
    address,
    place,
  };
}
