import type { ApplyResult } from '../model/apply-result.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { Paint } from './paint.ts';

/** The formats that a report can be rendered in. */
export const reportFormats = ['text', 'json', 'markdown', 'html', 'github', 'junit', 'sarif'] as const;
/** One of the formats that a report can be rendered in. */
export type ReportFormat = (typeof reportFormats)[number];

/** The commands that make a report. */
export type ReportKind = 'validate' | 'plan' | 'drift' | 'apply';

/** What a run of a command has to say, before it is text. */
export interface Report {
  readonly kind: ReportKind;
  /** One per root file. */
  readonly entries: readonly ReportEntry[];
}

/** What there is to say of one root file. */
export interface ReportEntry {
  /** Where it is known; a plan knows its own. */
  readonly organization?: string;
  /** Absent for `validate`, and where the run failed before there was a plan. */
  readonly plan?: Plan;
  /** What became of the plan, once apply has begun. */
  readonly result?: ApplyResult;
  /** Everything to tell beside the changes: mistakes, risks, limits that are passed, values that were not taken. */
  readonly diagnostics: readonly Diagnostic[];
  /** Turns a location's file, relative to the root file's folder, into a path from the working folder. */
  readonly path: (file: string) => string;
}

/** How a report looks. */
export interface RenderOptions {
  /** Colours, for a terminal. */
  readonly paint: Paint;
}
