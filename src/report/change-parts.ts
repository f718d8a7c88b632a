import type { Cause } from '../model/change.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { type ChangeView, type PathOf, placeOf } from './change-view.ts';
import { escapeControls } from './escape-controls.ts';

/** The headings of a report with a base. */
export const partHeadings = {
  change: 'This change',
  drift: 'Already different',
  dropped: 'No longer declared',
} as const;

/** Changes under one heading. Without a base, all changes are one part without a heading. */
export interface ChangePart {
  readonly heading?: string;
  /** What was different before is less important: formats that can fold it do. */
  readonly isFolded: boolean;
  readonly changes: readonly ChangeView[];
}

/** What the base declares and the files no longer do. */
export interface NoLongerDeclaredView {
  readonly address: string;
  /** Absent if nothing of the resource is declared. */
  readonly field?: string;
  /** In the base. */
  readonly place?: SourceLocation;
}

/** The changes of this revision first, then what was already different. An update can be in both, with its fields in one each. */
export function changeParts(
  changes: readonly ChangeView[],
  { noLongerDeclared: compared }: Pick<Plan, 'noLongerDeclared'>,
): readonly ChangePart[] {
  if (compared === undefined) return [{ isFolded: false, changes }];
  const caused = changes.flatMap((change) => partOf(change, 'change') ?? []);
  const taken = new Set(caused.map(({ address }) => address));
  const drifted = changes.flatMap((change) => {
    const part = partOf(change, 'drift');
    // What one request sends is shown once.
    return part && taken.has(change.address)
      ? { ...part, calls: [], isContinued: true as const }
      : (part ?? []);
  });
  return [
    { heading: partHeadings.change, isFolded: false, changes: caused },
    ...(drifted.length > 0 ? [{ heading: partHeadings.drift, isFolded: true, changes: drifted }] : []),
  ];
}

function partOf(change: ChangeView, cause: Cause): ChangeView | undefined {
  if (change.action !== 'update') return change.cause === cause ? change : undefined;
  const fields = change.fields.filter((field) => field.cause === cause);
  if (fields.length === 0) return undefined;
  // A level implies the permissions.
  const hasLevel = fields.some(({ path }) => path === 'access');
  return { ...change, fields, permissions: hasLevel ? change.permissions : [] };
}

export function noLongerDeclaredViews(
  { noLongerDeclared = [] }: Pick<Plan, 'noLongerDeclared'>,
  path: PathOf,
): NoLongerDeclaredView[] {
  return noLongerDeclared.map(({ address, field, location }) => ({
    address: escapeControls(address),
    ...(field !== undefined && { field: escapeControls(field) }),
    ...(location && { place: placeOf(location, path) }),
  }));
}

/** An entry of the list as one line, without its place. */
export function noLongerDeclaredText({ address, field }: NoLongerDeclaredView): string {
  return field === undefined ? address : `${address}  ${field}`;
}
