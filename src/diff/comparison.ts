import type { Configuration } from '../desired/configuration.ts';
import type { Live } from '../live/read-live.ts';
import type { ChangeOf } from '../model/change.ts';
import { about, type Diagnostic, note, type Severity } from '../model/diagnostic.ts';
import type { Resource, ResourceKind, ResourceOf } from '../model/state.ts';
import { counted } from '../model/text.ts';

/** Workspaces whose creation an earlier run did not complete, by id, and the parts of a scope that it has not sent. */
export type UnfinishedCreations = ReadonlyMap<string, ReadonlySet<'tags' | 'tagged'>>;

export interface Comparison {
  readonly configuration: Configuration;
  readonly live: Live;
  /** Selects the compared addresses; other resources are left unchanged. */
  readonly chosen: (address: string) => boolean;
  /** The severity of a problem that prevents an apply; a drift report applies nothing. */
  readonly refusal: Severity;
  readonly unfinished?: UnfinishedCreations;
  /** Names of live workspaces beside those of the live state, for hints. */
  readonly otherNames?: readonly string[];
  /** The ids of workspaces that plans of other root files delete. */
  readonly deletedElsewhere: ReadonlySet<string>;
  /** The ids of projects whose destroy schedule plans of other root files change. */
  readonly rescheduledElsewhere: ReadonlySet<string>;
}

/** The differences among the resources of one kind. */
export interface KindDifference<Kind extends ResourceKind> {
  readonly changes: readonly ChangeOf<Kind>[];
  readonly unchanged: number;
  readonly unmanaged: readonly string[];
  readonly after: readonly ResourceOf<Kind>[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The location of an attribute of a desired resource; of the resource itself if the attribute has none. */
export function located({ address, declared, location }: Resource, path: string): ReturnType<typeof about> {
  return about({ address, location: declared?.locations?.[path] ?? location });
}

/** One note, at the first resource, for all that `--only-changed` does not create because the base declares them, too. */
export function notCreated([first, ...others]: readonly Resource[]): Diagnostic[] {
  if (!first) return [];
  const more = others.length > 0 ? ` (and ${counted(others.length, 'more resource')})` : '';
  return [
    note(
      'not-created',
      `${first.address}${more} does not exist and is not created: the base declares it, too`,
      { at: first, hint: 'plan without --only-changed to create it' },
    ),
  ];
}
