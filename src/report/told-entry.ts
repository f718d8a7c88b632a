import type { AppliedChange, Outcome } from '../model/apply-result.ts';
import type { Action } from '../model/change.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { SourceLocation } from '../model/location.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { escapeControls } from './escape-controls.ts';
import type { Report, ReportEntry } from './report.ts';
import {
  appliedLines,
  appliedTitle,
  driftLines,
  driftTitle,
  plannedLines,
  plannedTitle,
} from './text/change-text.ts';
import { summaryText } from './text/summary-text.ts';

/** An entry of a report in words, the same for every format: places from the working folder, controls escaped. */
export interface ToldEntry {
  /** Empty where there is no plan. */
  readonly organization: string;
  readonly summary: string;
  readonly changes: readonly ToldChange[];
  /** What no file declares; told in a plan and in a drift report. */
  readonly undeclared: readonly ToldChange[];
  readonly diagnostics: readonly ToldDiagnostic[];
  readonly plan?: Plan;
}

export interface ToldChange {
  readonly address: string;
  readonly action: Action | 'none';
  /** Absent as long as nothing was applied. */
  readonly outcome?: Outcome;
  /** How much it matters, for formats that sort by that. */
  readonly level: Severity;
  /** One line. */
  readonly title: string;
  /** One line each. */
  readonly lines: readonly string[];
  readonly place?: SourceLocation;
}

export interface ToldDiagnostic {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly place?: SourceLocation;
}

export function toldEntry(kind: Report['kind'], entry: ReportEntry): ToldEntry {
  const { plan, result, diagnostics } = entry;
  const changes: readonly (PlannedChange | AppliedChange)[] = result?.changes ?? plan?.changes ?? [];
  const undeclared = plan?.unmanaged ?? [];
  return {
    organization: escapeControls(plan?.organization ?? ''),
    summary: summaryText(kind, entry),
    changes: changes.map((change) => toldChange(kind, change, entry)),
    undeclared: result ? [] : undeclared.map((address) => toldUndeclared(kind, address)),
    diagnostics: diagnostics.map((diagnostic) => toldDiagnostic(diagnostic, entry)),
    ...(plan && { plan }),
  };
}

function toldChange(
  kind: Report['kind'],
  change: PlannedChange | AppliedChange,
  { path }: ReportEntry,
): ToldChange {
  const { address, action, location } = change;
  const base = {
    address: escapeControls(address),
    action,
    ...(location && { place: placed(location, path) }),
  };
  if ('result' in change) {
    const title = appliedTitle(change);
    const level = outcomeLevels[change.result] ?? plannedLevel(action);
    return { ...base, outcome: change.result, level, title, lines: appliedLines(change) };
  }
  if (kind === 'drift')
    return { ...base, level: 'warning', title: driftTitle(change), lines: driftLines(change) };
  return { ...base, level: plannedLevel(action), title: plannedTitle(change), lines: plannedLines(change) };
}

const outcomeLevels: Readonly<Record<Outcome, Severity | undefined>> = {
  failed: 'error',
  skipped: 'warning',
  done: undefined,
};

function plannedLevel(action: Action): Severity {
  return action === 'delete' ? 'warning' : 'note';
}

function toldUndeclared(kind: Report['kind'], address: string): ToldChange {
  const level = kind === 'drift' ? 'warning' : 'note';
  const text = escapeControls(address);
  return { address: text, action: 'none', level, title: `undeclared: ${text}`, lines: [] };
}

function toldDiagnostic(
  { severity, code, message, hint, location }: Diagnostic,
  { path }: ReportEntry,
): ToldDiagnostic {
  return {
    severity,
    code: escapeControls(code),
    message: escapeControls(location?.construct ? `${message} (construct ${location.construct})` : message),
    ...(hint !== undefined && { hint: escapeControls(hint) }),
    ...(location && { place: placed(location, path) }),
  };
}

function placed({ file, line, column }: SourceLocation, path: (file: string) => string): SourceLocation {
  return { file: escapeControls(path(file)), line, column };
}

/** `file:line`, where there is a place. */
export function placeText(place: SourceLocation | undefined): string {
  return place ? `${place.file}:${place.line}` : '';
}
