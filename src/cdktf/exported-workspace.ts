import { isAttributePath } from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { TerraformReference } from './terraform-resource.ts';

/** A declared workspace that is converted to resources of Terraform. */
export interface ExportedWorkspace {
  /** The declared values; each declared key is managed. */
  readonly desired: WorkspaceResource;
  /** The planned workspace: the live values overridden by the managed ones, with selectors and names resolved. */
  readonly target: WorkspaceResource;
  /** Absent if the workspace is to be created. */
  readonly live?: WorkspaceResource;
  /** The name of its resources. */
  readonly name: string;
  /** Its id, as its other resources refer to it. */
  readonly id: TerraformReference;
}

/** A declared setting that Terraform's provider does not support, or supports with restrictions. */
export interface UnsupportedSetting {
  /** An attribute, a relation, or a section of the file. */
  readonly path: string;
  readonly reason: string;
  /**
   * - `never`: not written, so Terraform leaves it alone;
   * - `once`: written when the workspace is created, and ignored afterwards;
   * - `as-is`: written with the value that it resolves to today.
   */
  readonly written: 'never' | 'once' | 'as-is';
}

/** The declared value of a path, if the provider supports it; of a list that changes the live one, the result. */
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
