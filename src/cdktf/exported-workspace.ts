import { isAttributePath } from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { TerraformReference } from './terraform-resource.ts';

/** A declared workspace on its way into Terraform. */
export interface ExportedWorkspace {
  /** What the files declare: a key is managed. */
  readonly desired: WorkspaceResource;
  /** As it will be: the live workspace with the managed values laid over it, selectors and names expanded. */
  readonly target: WorkspaceResource;
  /** Absent where it is to be created. */
  readonly live?: WorkspaceResource;
  /** The name of its resources. */
  readonly name: string;
  /** Its id, as its other resources write it. */
  readonly id: TerraformReference;
}

/** Something declared that Terraform's provider cannot hold, or not in the same way. */
export interface UnsupportedSetting {
  /** An attribute, a relation, or a section of the file. */
  readonly path: string;
  readonly reason: string;
  /**
   * - `never`: nothing is written, so Terraform leaves it alone;
   * - `once`: written when the workspace is created, and left alone from then on;
   * - `as-is`: written as what it means today.
   */
  readonly written: 'never' | 'once' | 'as-is';
}

/** What the files declare for a path, where the provider can hold it: of a list that changes the live one, the result. */
export function heldValue(
  { desired, target }: ExportedWorkspace,
  path: string,
  unsupported: readonly UnsupportedSetting[],
): Value | undefined {
  const isHeld = unsupported.every((setting) => setting.path !== path || setting.written !== 'never');
  if (!isHeld) return undefined;
  const value = desired.attributes[path];
  return isAttributePath(path) && isRecord(value) ? target.attributes[path] : value;
}

export function isWrittenOnce(path: string, unsupported: readonly UnsupportedSetting[]): boolean {
  return unsupported.some((setting) => setting.path === path && setting.written === 'once');
}
