import type { Configuration } from '../desired/configuration.ts';
import type { Live } from '../live/read-live.ts';
import type { ChangeOf } from '../model/change.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Resource, ResourceKind, ResourceOf } from '../model/state.ts';

/** What is compared. */
export interface Comparison {
  readonly configuration: Configuration;
  readonly live: Live;
  /** Whether an address is compared; other resources stay as they are. */
  readonly chosen: (address: string) => boolean;
  /** The severity of what forbids an apply but not a comparison: a report of drift applies nothing. */
  readonly refusal: Severity;
}

/** What differs among the resources of one kind. */
export interface KindDifference<Kind extends ResourceKind> {
  readonly changes: readonly ChangeOf<Kind>[];
  readonly unchanged: number;
  readonly unmanaged: readonly string[];
  readonly after: readonly ResourceOf<Kind>[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where an attribute of a desired resource stands; where the resource stands, if it is not known closer. */
export function located(desired: Resource, path = ''): Pick<Diagnostic, 'location'> {
  const location = desired.declared?.locations?.[path] ?? desired.location;
  return location ? { location } : {};
}
