import type { Risk } from '../check/risks.ts';
import type { ApplyResult } from '../model/apply-result.ts';
import type { Diagnostic, SourceLocation } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { Receiver } from '../model/rules.ts';
import type { Paint } from './paint.ts';

/** The formats of reports, each with the extension of a file that selects it (`--report`), if one does. */
export const reportExtensions = {
  text: '.txt',
  json: '.json',
  markdown: '.md',
  html: '.html',
  github: undefined,
  junit: '.xml',
  sarif: '.sarif',
} as const;
/** One of the formats that a report can be rendered in. */
export type ReportFormat = keyof typeof reportExtensions;
/** The formats that a report can be rendered in. */
export const reportFormats = Object.keys(reportExtensions) as readonly ReportFormat[];

/** The commands that make a report. */
export type ReportKind = 'validate' | 'plan' | 'drift' | 'apply';

/** The result of a command, before it is rendered. */
export interface Report {
  /** `report` if the entries are of several kinds. */
  readonly kind: ReportKind | 'report';
  /** One per root file. */
  readonly entries: readonly ReportEntry[];
  /** Where it was made; only the HTML page shows it. */
  readonly origin?: ReportOrigin;
  /** Sentences above all entries, which only the HTML page of `watch` has. */
  readonly about?: readonly string[];
  /** When and why the last cycle of `watch` failed, if it did. */
  readonly failure?: string | undefined;
}

/** Where a report was made. */
export interface ReportOrigin {
  readonly at: Date;
  /** The commit of the files, where it is known. */
  readonly commit?: string | undefined;
  /** The pull request or the job of CI. */
  readonly page?: { readonly title: string; readonly url: string } | undefined;
  /** The address of a line at the commit, for files in its repository. */
  readonly lineOf?: ((place: SourceLocation) => string | undefined) | undefined;
}

/** The part of a report for one root file. */
export interface ReportEntry {
  /** What the entry is the result of. @default the kind of the report */
  readonly kind?: ReportKind;
  /** The document that the entry was read from, for a report of several runs; the root file if it `failed`. */
  readonly source?: string;
  /** The root file has no plan, and others of its run have. Reports begin with these entries. */
  readonly failed?: boolean;
  /** The organization, if it is known; a plan contains it, too. */
  readonly organization?: string | undefined;
  /** The root file as a path from the working folder, if it is known. A report shows it if several root files declare one organization. */
  readonly file?: string | undefined;
  /** Who gets messages about it. */
  readonly receivers?: readonly Receiver[] | undefined;
  /** Sentences about the age of what is shown, which only the HTML page of `watch` has. */
  readonly about?: string;
  /** Absent for `validate`, and where the run failed before there was a plan. */
  readonly plan?: Plan;
  /** The outcome of the plan, once apply has begun. */
  readonly result?: ApplyResult;
  /** @internal Those that the document lists: a printed plan lacks what they are computed from. */
  readonly risks?: readonly Risk[] | undefined;
  /** Errors in files, exceeded limits, values that the service did not take, and other findings. */
  readonly diagnostics: readonly Diagnostic[];
  /** Turns a location's file, relative to the root file's folder, into a path from the working folder. */
  readonly path: (file: string) => string;
}

/** How a report looks. */
export interface RenderOptions {
  /** Colours, for a terminal. */
  readonly paint: Paint;
  /** Characters per line of a terminal, where text wraps. @default lines are as long as their text */
  readonly width?: number | undefined;
  /** Lists updates one by one instead of as groups, and everything that is otherwise counted. @default false */
  readonly full?: boolean;
}
