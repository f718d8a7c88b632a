import { sameAttribute } from '../diff/fields.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { isAttributePath, modeFlag, nestedAttributes, poolFlag } from '../model/attributes.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import { isPermissionPath, permissionGroups, permissions } from '../model/permissions.ts';
import type { ResourceKind } from '../model/state.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';

/*
 * State to YAML. One function, `declare`, makes the entry of a resource, for live resources (`import`, `accept`) and for
 * desired ones (`render`). One editor, `editYaml`, changes files.
 *
 *   entry   the declaration of one resource: the keys that lead to it in a file, and its values by dotted path
 *   label   the name that replaces an id: an alias, or the key of a project under `team-access`
 *   unfit   a live value that no file can hold; a workspace does not inherit its key either
 *   layer   values that workspaces of a file share: `defaults`, or the template of a project
 *
 *   import  live -> declare -> entries -> layers -> new files, or edits that add the entries to existing ones
 *   accept  differences -> declare -> edits of the chosen values
 *   render  desired -> declare -> one root file
 *
 * Before anything is written, `checkedTexts` loads the texts of an import or an accept and compares them with the live
 * state. An entry that would change something is left out, and the others are tried again.
 */

export interface Entry {
  readonly kind: ResourceKind;
  readonly address: string;
  readonly path: readonly string[];
  /** In the order of a file, by dotted path. */
  readonly values: ReadonlyMap<string, Value>;
  /** Keys that files can omit, as long as no layer declares another value. */
  readonly usual: ReadonlySet<string>;
  /** Keys of values that no file can hold, with the reason to report; an empty one is not reported. */
  readonly unfit: ReadonlyMap<string, string>;
  readonly refusal?: string | undefined;
}

export interface FileLabels {
  /** `undefined` if files cannot refer to the object. */
  readonly of: (kind: AliasKind, id: string) => string | undefined;
  /** The key of a project under `team-access` of existing files. */
  readonly grantProject?: ((id: string) => string | undefined) | undefined;
  /** Whether files find a managed project by its id, and not by its name. */
  readonly hasId: (project: string) => boolean;
  /** Absent for desired resources. */
  readonly live?:
    | {
        readonly dialect: Dialect;
        /** Names of workspaces by id. */
        readonly names: ReadonlyMap<string, string>;
        /** The attributes that any workspace has: some services omit a member that is null. */
        readonly offered: ReadonlySet<string>;
        readonly missing: readonly Feature[];
      }
    | undefined;
}

export function keysOf(path: string): readonly string[] {
  const group = [...nestedAttributes, ...permissionGroups].find((name) => path.startsWith(`${name}.`));
  return group === undefined ? [path] : [group, path.slice(group.length + 1)];
}

export function nested(values: Iterable<readonly [string, Value]>): Values {
  const mapping: Record<string, Value> = {};
  for (const [path, value] of values) {
    const [key = path, inner] = keysOf(path);
    const held = mapping[key];
    mapping[key] = inner === undefined ? value : { ...(isRecord(held) && (held as Values)), [inner]: value };
  }
  return mapping;
}

/** A project or grant as files write it. With only a level, a grant is that level. */
export function entryValue({ values, usual }: Entry): Value {
  const { access, ...others } = nested([...values].filter(([path]) => !usual.has(path)));
  if (access === undefined) return others;
  return Object.keys(others).length === 0 && access !== 'custom' ? access : { access, ...others };
}

export function isUsual({ kind, values }: Pick<Entry, 'kind' | 'values'>, path: string): boolean {
  const value = values.get(path) ?? null;
  if (kind === 'project') return isEmpty(value);
  if (kind === 'team-access') return isPermissionPath(path) && value === permissions[path].customDefault;
  // The flags follow from the mode and the pool, but for these.
  if (path === modeFlag) return value !== false;
  if (path === poolFlag)
    return value === false
      ? values.get('execution-mode') !== 'agent'
      : values.get(modeFlag) !== false || !values.get('agent-pool-id');
  if (!isAttributePath(path)) return isEmpty(value);
  const { createOnly, default: usual } = workspaceAttributes[path];
  // A create-only attribute has no effect on an existing workspace.
  return createOnly === true || sameAttribute(path, value, usual);
}

function isEmpty(value: Value): boolean {
  return value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}
