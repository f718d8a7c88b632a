import type { AppliedChange, ApplyResult } from '../../model/apply-result.ts';
import type { SourceLocation } from '../../model/location.ts';
import type { Plan, PlannedChange } from '../../model/plan.ts';
import type { Report, ReportEntry } from '../report.ts';
import { type Wording, wordingOf } from './wording.ts';

/** One organization's part of the page, with what its pieces share. */
export interface EntryView {
  readonly kind: Report['kind'];
  readonly wording: Wording;
  /** Stands before every id of this part, so that ids are unique on the page. */
  readonly prefix: string;
  readonly entry: ReportEntry;
  /** The plan, be it in the entry or in the result. */
  readonly plan?: Plan;
  readonly result?: ApplyResult;
  readonly changes: readonly ChangeView[];
  /** The id of the element of a change, by its address. */
  readonly changeIds: ReadonlyMap<string, string>;
}

/** A change, with what became of it once apply has begun. */
export type ChangeView = PlannedChange & Partial<Pick<AppliedChange, 'result' | 'callsDone' | 'error'>>;

export function entryView(kind: Report['kind'], entry: ReportEntry, index: number): EntryView {
  const plan = entry.plan ?? entry.result?.plan;
  const changes: readonly ChangeView[] = entry.result?.changes ?? plan?.changes ?? [];
  const prefix = `r${index + 1}`;
  return {
    kind,
    wording: wordingOf(kind),
    prefix,
    entry,
    ...(plan && { plan }),
    ...(entry.result && { result: entry.result }),
    changes,
    changeIds: new Map(changes.map(({ address }, position) => [address, `${prefix}-c${position + 1}`])),
  };
}

/** Where something stands, as a path from the working folder. */
export function placeText({ entry }: EntryView, { file, line }: SourceLocation): string {
  return `${entry.path(file)}:${line}`;
}
