import type { Dialect } from '../model/dialect.ts';
import type { WorkspaceValues } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';

/** What depends on one setting of a workspace with separate calls. A part is absent if nothing depends on it. */
export interface Relation {
  /** The values that the document of a workspace shows (interface, section 2.1). */
  fromDocument?(document: ResourceObject, dialect: Dialect): Values;
  /** How it is read if the document does not show it. */
  readonly separate?: SeparateReading;
  /** What a plan shows of a value, if there is one value and not a list. */
  shown?(value: Value | undefined): Value;
  /**
   * The declaration that gives a new workspace the value of a deleted one; `undefined` if it has the value without one.
   * `nowCalled` has the id or name that a file declares now for a workspace, by its earlier id.
   */
  restored?(value: Value, nowCalled: (id: string) => string | undefined): Value | undefined;
  /** Whether a new value of an existing workspace protects it less. */
  losesProtection?(before: Value, after: Value): boolean;
  /** Why the configuration language cannot declare a live value; `undefined` if it can. */
  undeclarable?(value: Value): string | undefined;
}

/** How a setting is read with a request for each workspace. The feature that a service may lack has the same name. */
export interface SeparateReading {
  /** What a snapshot without it lacks, in messages. */
  readonly noun: string;
  /** The fields of policies that show it. */
  readonly policyFields: readonly string[];
  /** Whether a request is needed to know the value, by what the document shows. */
  isNeeded(attributes: WorkspaceValues): boolean;
  /** Whether the document shows that there is a value; `undefined` if it does not show it. */
  isHeld?(attributes: WorkspaceValues): boolean | undefined;
  /** Reads the value and names by id that the answer shows; `undefined` if the service lacks the feature. */
  read(reader: ServiceReader, workspace: string): Promise<SeparateValue | undefined>;
}

export interface SeparateValue {
  readonly value: Value;
  readonly names?: readonly (readonly [id: string, name: string])[];
}
