import type { Outcome } from '../model/apply-result.ts';
import type { Severity, SourceLocation } from '../model/diagnostic.ts';
import type { ChangeView } from './change-view.ts';
import type { Report } from './report.ts';
import type { DiagnosticView, EntryView } from './report-view.ts';
import { changeLines } from './text/change-text.ts';

/** A diagnostic, a change or an undeclared workspace: one item of the formats that list findings at lines of files. */
export interface Finding {
  readonly about: 'diagnostic' | 'change';
  /** The code of a diagnostic, `change-<action>`, or `undeclared`. */
  readonly rule: string;
  readonly level: Severity;
  readonly title: string;
  /** Everything, one line each; a diagnostic begins with its message, a change with its title. */
  readonly lines: readonly string[];
  readonly place?: SourceLocation;
  /** Of a change. */
  readonly address?: string;
  /** Of a change, once apply has begun. */
  readonly outcome?: Outcome;
}

/** The diagnostics, the changes, the undeclared workspaces. */
export function findingsOf({ diagnostics, plan }: EntryView, kind: Report['kind']): readonly Finding[] {
  // An apply does not read the scope again, so its result does not list undeclared workspaces.
  const undeclared = plan && !plan.applied ? plan.undeclared : [];
  return [
    ...diagnostics.map(diagnosticFinding),
    ...(plan?.changes ?? []).map((change) => changeFinding(change, kind)),
    ...undeclared.map((address) => undeclaredFinding(address, kind)),
  ];
}

function diagnosticFinding(diagnostic: DiagnosticView): Finding {
  const { code, severity, message, construct, hint, place } = diagnostic;
  return {
    about: 'diagnostic',
    rule: code,
    level: severity,
    title: code,
    lines: [
      construct === undefined ? message : `${message} (construct ${construct})`,
      ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ],
    ...(place && { place }),
  };
}

function changeFinding(change: ChangeView, kind: Report['kind']): Finding {
  const { action, address, level, title, place, outcome } = change;
  return {
    about: 'change',
    rule: `change-${action}`,
    level,
    title,
    lines: [title, ...changeLines(change, kind)],
    address,
    ...(place && { place }),
    ...(outcome && { outcome }),
  };
}

function undeclaredFinding(address: string, kind: Report['kind']): Finding {
  const title = `undeclared: ${address}`;
  const level = kind === 'drift' ? 'warning' : 'note';
  return { about: 'change', rule: 'undeclared', level, title, lines: [title], address };
}
