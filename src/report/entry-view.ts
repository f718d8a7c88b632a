import type { Ending } from '../model/apply-result.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { InheritedSetting, InheritedTags, Plan, PlanSummary, StateAccessChange } from '../model/plan.ts';
import type { PolicyResult } from '../model/policy.ts';
import { nameOfAddress } from '../model/state.ts';
import { groupBy, type Value } from '../model/value.ts';
import { type MoveView, moveViews } from './access-view.ts';
import { type ChangeView, changeViews } from './change-view.ts';
import { type DiagnosticView, diagnosticView, type PathOf, placeOf } from './diagnostic-view.ts';
import { escapeControls, escapeTexts } from './escape-controls.ts';
import { type HeldView, heldView } from './held-view.ts';
import { type OverviewView, overviewView } from './joint-overview.ts';
import type { ReportEntry, ReportKind } from './report.ts';
import { type RiskGroupView, riskGroups } from './risk-view.ts';
import { type RootStatus, rootStatus, statusText } from './root-status.ts';
import { completedRequests, countEndings, nothingText, summaryText } from './summaries.ts';
import { valueText } from './text/change-text.ts';

/** What a report shows of one root file. */
export interface EntryView {
  readonly kind: ReportKind;
  /** What identifies it in the report: the path of the root file, or the organization, or the document. */
  readonly title: string;
  readonly status: RootStatus;
  /** The status in words. */
  readonly statusText: string;
  /** Absent where the run failed before it was known. */
  readonly organization?: string | undefined;
  /** The document that the entry was read from; the root file if it `failed`. */
  readonly source?: string | undefined;
  /** The root file has no plan, and others of its run have. */
  readonly failed?: true;
  readonly summary: string;
  /** Sentences about the age of what is shown. */
  readonly about?: string | undefined;
  readonly diagnostics: readonly DiagnosticView[];
  /** Absent for `validate`, and where the run failed before there was a plan. */
  readonly plan?: PlanView | undefined;
}

export interface PlanView {
  readonly organization: string;
  readonly address: string;
  readonly figures: Figures;
  /** Present once apply has begun. */
  readonly applied?: AppliedFigures;
  /** What needs attention, the most severe kind first. */
  readonly risks: readonly RiskGroupView[];
  readonly changes: readonly ChangeView[];
  /** What the base declares and the files no longer do; absent without a base. */
  readonly noLongerDeclared?: readonly NoLongerDeclaredView[] | undefined;
  /** What waits, and the time that decides; absent if nothing does. */
  readonly held?: HeldView | undefined;
  /** The sentence instead of changes if there are none. */
  readonly nothing: string;
  /** Undeclared live resources: workspaces in the scope, and grants. */
  readonly undeclared: readonly UndeclaredView[];
  /** How to declare or remove undeclared grants; absent if there are none. */
  readonly undeclaredHint?: string | undefined;
  readonly policies: readonly PolicyResult[];
  readonly stateAccess: readonly StateAccessChange[];
  readonly moves: readonly MoveView[];
  readonly inheritedTags: readonly InheritedTags[];
  /** Workspaces with the same step of an inherited setting together. */
  readonly inherited: readonly InheritedView[];
  /** Who may read whose state, and every grant: only in a view `withOverview` of one entry. */
  readonly overview?: OverviewView;
}

export interface UndeclaredView {
  readonly address: string;
  /** The level of a grant. */
  readonly level?: string | undefined;
  /** The line of a grant's project under `team-access`. */
  readonly place?: SourceLocation | undefined;
}

/** A setting in effect that workspaces inherit, with its values as text. */
export interface InheritedView {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly workspaces: readonly string[];
}

export interface NoLongerDeclaredView {
  readonly address: string;
  /** Absent if nothing of the resource is declared. */
  readonly field?: string | undefined;
  /** In the base. */
  readonly place?: SourceLocation | undefined;
}

export interface Figures extends PlanSummary {
  /** Absent where undeclared workspaces were not looked for. */
  readonly undeclared?: number | undefined;
}

export interface AppliedFigures extends Readonly<Record<Ending, number>> {
  readonly calls: number;
}

export function organizationOf({ plan, result, organization }: ReportEntry): string | undefined {
  return plan?.organization ?? result?.plan.organization ?? organization;
}

interface EntryOptions {
  readonly withOverview?: boolean | undefined;
  readonly isJoint: boolean;
  readonly title: string;
}

export function entryView(kind: ReportKind, entry: ReportEntry, options: EntryOptions): EntryView {
  const { plan = entry.result?.plan, diagnostics, path } = entry;
  const organization = organizationOf(entry);
  const shown = plan && planView(kind, plan, entry, options);
  const status = rootStatus(kind, entry, (shown?.risks.length ?? 0) > 0);
  return {
    kind,
    title: escapeControls(options.title),
    status,
    statusText: statusText(kind, status, plan !== undefined),
    organization: organization === undefined ? undefined : escapeControls(organization),
    source: entry.source === undefined ? undefined : escapeControls(entry.source),
    ...(entry.failed && { failed: true }),
    summary: summaryText(kind, entry),
    about: entry.about,
    diagnostics: diagnostics.map((diagnostic) => diagnosticView(diagnostic, path)),
    plan: shown,
  };
}

function planView(
  kind: ReportKind,
  plan: Plan,
  entry: ReportEntry,
  { isJoint, withOverview }: EntryOptions,
): PlanView {
  const { organization, address, summary, unmanaged, policies = [], effects, overview } = plan;
  const found = unmanaged.length + (kind === 'drift' ? summary.delete : 0);
  const isCounted = (kind === 'drift' && overview.scope === 'whole') || found > 0;
  const { path } = entry;
  const changes = changeViews(kind, plan, entry, path);
  const isApplied = kind === 'apply' && entry.result !== undefined;
  const held = heldView(kind, plan, path);
  return {
    organization: escapeControls(organization),
    address: escapeControls(address),
    figures: { ...summary, undeclared: isCounted ? found : undefined },
    ...(isApplied && {
      applied: {
        ...countEndings(changes.map(({ outcome }) => outcome)),
        calls: completedRequests(changes),
      },
    }),
    risks: riskGroups(kind, plan, path),
    changes,
    noLongerDeclared: plan.noLongerDeclared?.map(({ address: former, field, location }) => ({
      ...escapeTexts({ address: former, field }),
      place: location && placeOf(location, path),
    })),
    held,
    nothing: nothingText(kind, plan),
    ...undeclaredViews(plan, path),
    policies: escapeTexts(policies.map((policy) => ({ ...policy, file: path(policy.file) }))),
    stateAccess: escapeTexts(effects.stateAccess),
    moves: moveViews(effects.moves),
    inheritedTags: escapeTexts(effects.inheritedTags ?? []),
    inherited: inheritedViews(effects.inherited ?? []),
    ...(withOverview &&
      !isJoint && { overview: overviewView({ ...overview, stateAccess: effects.stateAccess }) }),
  };
}

function undeclaredViews(
  { unmanaged, undeclaredAccess = [] }: Plan,
  path: PathOf,
): Pick<PlanView, 'undeclared' | 'undeclaredHint'> {
  const grants = new Map(undeclaredAccess.map((grant) => [grant.address, grant]));
  const [first] = undeclaredAccess;
  return {
    undeclared: unmanaged.map((address) => {
      const { access, location } = grants.get(address) ?? {};
      return {
        address: escapeControls(address),
        level: access,
        place: location && placeOf(location, path),
      };
    }),
    undeclaredHint: first && escapeControls(first.hint),
  };
}

/** Key/value tags are shown as what is gained and lost. */
function inheritedViews(inherited: readonly InheritedSetting[]): InheritedView[] {
  const settings = inherited.filter(({ path }) => path !== 'tag-bindings');
  const steps = groupBy(settings, ({ path, before, after }) => JSON.stringify([path, before, after]));
  return [...steps.values()].flatMap((same) =>
    same.slice(0, 1).map(({ path, before, after }) => ({
      path,
      before: shownInherited(path, before),
      after: shownInherited(path, after),
      workspaces: escapeTexts(same.map(({ address }) => nameOfAddress(address))),
    })),
  );
}

function shownInherited(path: string, value: Value): string {
  return path === 'execution-mode' && value === null ? 'that of the organization' : valueText(value);
}
