import type { Live } from '../live/read-live.ts';
import type { ChangeOf } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { about, type Diagnostic, type Severity } from '../model/diagnostic.ts';
import type { PlanPurpose, UndeclaredGrant } from '../model/plan.ts';
import type { Resource, ResourceKind, ResourceOf } from '../model/state.ts';

/** Workspaces whose creation an earlier run did not complete, by id, and the parts of a scope that it has not sent. */
export type UnfinishedCreations = ReadonlyMap<string, ReadonlySet<'tags' | 'tagged'>>;

/** The root file that an address belongs to: it declares the address, or its rules apply to it. */
export interface Owner {
  readonly root: Configuration;
  /** Its place among the root files of the configuration. */
  readonly index: number;
  /** Whether it deletes the address, which is undeclared. */
  readonly prunes: boolean;
}

export interface Comparison {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly owners: ReadonlyMap<string, Owner>;
  /** The root file that an address belongs to, else the first. */
  readonly rootOf: (address: string) => Configuration;
  /** Selects the compared addresses; other resources are left unchanged. */
  readonly chosen: (address: string) => boolean;
  /** What leaves out an address that is not selected, and how it is planned all the same. */
  readonly leftOut: (address: string) => { readonly by: string; readonly hint: string };
  readonly purpose: PlanPurpose;
  /** The severity of a problem that prevents an apply; a drift report applies nothing. */
  readonly refusal: Severity;
  readonly unfinished?: UnfinishedCreations | undefined;
}

/** The differences among the resources of one kind. */
export interface KindDifference<Kind extends ResourceKind> {
  readonly changes: readonly ChangeOf<Kind>[];
  readonly unchanged: number;
  readonly unmanaged: readonly string[];
  readonly after: readonly ResourceOf<Kind>[];
  readonly diagnostics: readonly Diagnostic[];
  /** The undeclared grants that the plan keeps. */
  readonly undeclaredAccess?: readonly UndeclaredGrant[];
  /** The owners of undeclared resources under the addresses that are shown, where these are not the live ones. */
  readonly owners?: ReadonlyMap<string, Owner>;
}

/** The location of an attribute of a desired resource; of the resource itself if the attribute has none. */
export function located({ address, declared, location }: Resource, path: string): ReturnType<typeof about> {
  return about({ address, location: declared?.locations?.[path] ?? location });
}
