import type { Live } from '../live/read-live.ts';
import type { ChangeOf, FieldChange } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { about, type Diagnostic, type Severity } from '../model/diagnostic.ts';
import type { PlanPurpose, UndeclaredGrant } from '../model/plan.ts';
import type { Resource, ResourceKind, ResourceOf } from '../model/state.ts';

/** Workspaces whose creation an earlier run did not complete, by id, and the parts of a scope that it has not sent. */
export type UnfinishedCreations = ReadonlyMap<string, ReadonlySet<'tags' | 'tagged'>>;

/** The root file that an address belongs to: it declares the address, or its rules apply to it. */
export interface Owner {
  readonly root: Configuration;
  readonly index: number;
  readonly prunes?: boolean;
}

export interface Comparison {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly owners: ReadonlyMap<string, Owner>;
  readonly rootOf: (address: string) => Configuration;
  readonly chosen: (address: string) => boolean;
  readonly leftOut: (address: string) => {
    readonly code: string;
    readonly by: string;
    readonly hint: string;
  };
  readonly purpose: PlanPurpose;
  /** The severity of a problem that prevents an apply; a drift report applies nothing. */
  readonly refusal: Severity;
  readonly unfinished?: UnfinishedCreations | undefined;
}

export interface KindDifference<Kind extends ResourceKind> {
  readonly changes: readonly ChangeOf<Kind>[];
  readonly unchanged: number;
  readonly unmanaged: readonly string[];
  readonly after: readonly ResourceOf<Kind>[];
  readonly diagnostics: readonly Diagnostic[];
  readonly undeclaredAccess?: readonly UndeclaredGrant[];
  /** The owners of undeclared resources under the addresses that are shown, where these are not the live ones. */
  readonly owners?: ReadonlyMap<string, Owner>;
}

export interface Matched<Kind extends ResourceKind> {
  readonly desired: ResourceOf<Kind>;
  readonly live?: ResourceOf<Kind> | undefined;
  readonly target: ResourceOf<Kind>;
}

interface Changed<Kind extends ResourceKind> extends Omit<Partial<Matched<Kind>>, 'desired'> {
  readonly desired: Pick<Resource, 'address' | 'name' | 'location'>;
}

/** Without a target, the live resource is deleted. An update without fields changes nothing. */
export function changing<Kind extends ResourceKind>(
  { desired: { name, ...declared }, live, target }: Changed<Kind>,
  fields: readonly FieldChange[],
  details: Partial<ChangeOf<Kind>> = {},
): ChangeOf<Kind>[] {
  const action = !target ? 'delete' : live ? 'update' : 'create';
  if (action === 'update' && fields.length === 0) return [];
  const kind = (target ?? live)?.kind;
  const change = { kind, name, ...about(declared), action, live, target, fields, ...details };
  return [change as unknown as ChangeOf<Kind>];
}

export function located({ address, declared, location }: Resource, path: string) {
  return { address, location: declared?.locations?.[path] ?? location };
}
