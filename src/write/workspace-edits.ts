import { lookAlikeOf } from '../check/look-alikes.ts';
import { type EffectiveField, effectiveFields } from '../desired/effective-fields.ts';
import type { AcceptedField } from '../model/accept-result.ts';
import {
  attributePaths,
  type Coupling,
  coupledPaths,
  isAttributePath,
  isRepositoryPath,
  listPaths,
  nestedAttributes,
  sharingSwitchOf,
  workspaceAttributes,
} from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { consumerName } from '../resolve/labels.ts';
import { type AcceptContext, type Accepting, chosenFields, statingBy } from './acceptance.ts';
import type { Edit } from './edit-yaml.ts';
import { stateWorkspace } from './state-workspace.ts';
import type { StatedWorkspace, StatementPath } from './statement.ts';

/** The edits that make a workspace as it is live; undefined if none of its fields is chosen. */
export function workspaceEdits(change: WorkspaceChange, context: AcceptContext): Accepting | undefined {
  const { address, action, location } = change;
  if (action !== 'update') return existenceEdits(change, context);
  const fields = chosenFields(change, context);
  if (fields.length === 0 || change.live === undefined) return undefined;
  if (fields.some(({ path }) => path === 'name')) {
    return {
      address,
      reason: 'its rename is not applied yet',
      hint: `apply the rename, or remove renamed-from and call it ${change.live.name} in the file`,
    };
  }
  const { live, configuration } = context;
  const everything = stateWorkspace(change.live, { ...statingBy(configuration), live });
  const declared = declaredFields(address, everything, context);
  const { stated, ownValue } = declared;
  const unstated = fields.find(
    ({ path }) => stated.unstatable.has(path as StatementPath) && ownValue(path) === undefined,
  );
  if (unstated !== undefined) {
    return {
      address,
      reason: `no file can hold the live value of ${unstated.path}`,
      hint: 'run `attune apply` to restore the declared value, or remove the key from its layer',
    };
  }
  const paths = coupledWith(
    fields.map(({ path }) => path),
    change.live,
    stated,
  );
  const file = location?.file ?? '';
  return {
    address,
    fields: fields.map((field) => acceptedField(field, declared)),
    edits: paths.flatMap((path): Edit[] => {
      const value = exactValue(path, declared);
      if (value === undefined && ownValue(path) === undefined) return [];
      return [{ file, path: [...blockOf(change), ...keysOf(path)], value }];
    }),
  };
}

/** What files declare about a workspace, and what they can declare about the live one. */
interface DeclaredFields {
  readonly context: AcceptContext;
  readonly stated: StatedWorkspace;
  readonly effective: ReadonlyMap<string, EffectiveField>;
  /** The value in the block of the workspace itself. */
  readonly ownValue: (path: string) => Value | undefined;
  /** Whether a layer below the workspace declares a path. */
  readonly isBelow: (path: string) => boolean;
}

function declaredFields(address: string, stated: StatedWorkspace, context: AcceptContext): DeclaredFields {
  const { configuration } = context;
  const effective = new Map(effectiveFields(configuration, address).map((field) => [field.path, field]));
  return {
    context,
    stated,
    effective,
    ownValue: (path) => {
      const field = effective.get(path);
      return field?.origin.layer === 'workspace' ? field.origin.value : undefined;
    },
    isBelow: (path) => {
      const field = effective.get(path);
      return field !== undefined && (field.origin.layer !== 'workspace' || field.lower.length > 0);
    },
  };
}

/** The live value in a form that no layer below changes. */
function exactValue(path: string, { stated, isBelow }: DeclaredFields): Value | undefined {
  const live = stated.statements.get(path as StatementPath)?.value;
  if (path === 'vcs-repo' && live !== null) return repository(stated);
  if (live === undefined || !isBelow(path)) return live;
  return path === 'tag-bindings' || listPaths.has(path) ? { exactly: live } : live;
}

function acceptedField(
  { path, before, add, remove }: FieldChange,
  { context, stated, effective }: DeclaredFields,
): AcceptedField {
  const field = effective.get(path);
  const live = stated.statements.get(path as StatementPath)?.value ?? before;
  const lower = field && field.origin.layer !== 'workspace' ? field.origin : undefined;
  return {
    path,
    before: field?.origin.value ?? null,
    after: live,
    ...((Array.isArray(live) || path === 'tag-bindings') &&
      add &&
      remove && {
        add: remove.map(listEntries(path, context)),
        remove: add.map(listEntries(path, context)),
      }),
    ...(lower && { overrides: { layer: lower.layer, location: lower.location } }),
  };
}

/** The paths that have to be written together with the changed ones. */
function coupledWith(
  changed: readonly string[],
  live: WorkspaceResource,
  { statements }: Pick<StatedWorkspace, 'statements'>,
): readonly string[] {
  // Without a repository there is nothing to declare below the key.
  if (changed.some(isRepositoryPath) && statements.get('vcs-repo')?.value === null) {
    const others = changed.filter((path) => !isRepositoryPath(path));
    return coupledWith([...others, 'vcs-repo'], live, { statements });
  }
  const groups = new Set<Coupling | undefined>(['execution', 'vcs-credentials', 'scheduled-destroy']);
  const coupled = coupledPaths(changed).filter((path) => groups.has(workspaceAttributes[path].coupling));
  const needed = coupled.filter((path) => {
    const statement = statements.get(path);
    return statement === undefined || !statement.isDefault;
  });
  const shared = sharingSwitchOf(live.attributes);
  const isShared = shared !== undefined && changed.includes(shared);
  return [...new Set([...changed, ...needed, ...(isShared ? ['remote-state-consumers'] : [])])];
}

function repository({ statements }: StatedWorkspace): Value {
  const keys = attributePaths.filter(isRepositoryPath);
  return Object.fromEntries(
    keys.flatMap((path): [string, Value][] => {
      const statement = statements.get(path);
      return statement && !statement.isDefault ? [[path.slice('vcs-repo.'.length), statement.value]] : [];
    }),
  );
}

/** How a file writes an entry of a live list. */
function listEntries(path: string, { live }: AcceptContext): (entry: string) => string {
  if (path !== 'remote-state-consumers') return (entry) => entry;
  return (entry) => consumerName(entry, live.names);
}

function keysOf(path: string): readonly string[] {
  const parent = nestedAttributes.find((name) => path.startsWith(`${name}.`));
  if (parent === undefined || !isAttributePath(path)) return [path];
  return [parent, path.slice(parent.length + 1)];
}

/** The edit that ends a declaration that is not live, or a tombstone whose workspace is live. */
function existenceEdits(change: WorkspaceChange, context: AcceptContext): Accepting | undefined {
  const { address, action, location } = change;
  if (!context.chosen(address, '') || location === undefined) return undefined;
  const livesAs = action === 'create' ? renamedOnService(change, context) : undefined;
  if (livesAs !== undefined) return manualRename(change, livesAs);
  const [before, after] = action === 'create' ? ['declared', null] : ['absent', 'live'];
  return {
    address,
    fields: [{ path: '', before, after }],
    edits: [{ file: location.file, path: blockOf(change), value: undefined }],
  };
}

/** Where a file declares a workspace. */
function blockOf({ name }: WorkspaceChange): readonly string[] {
  return ['workspaces', name];
}

/** The undeclared live workspace that a declared one without a live one was probably renamed to. */
function renamedOnService(
  { target }: WorkspaceChange,
  { configuration, live }: AcceptContext,
): WorkspaceResource | undefined {
  if (target === undefined) return undefined;
  const declared = configuration.desired.resources;
  const former = new Set(
    resourcesOf(declared.values(), 'workspace').map((workspace) => workspace.declared?.renamedFrom),
  );
  const undeclared = resourcesOf(live.state.resources.values(), 'workspace').filter(
    ({ address, name }) => !declared.has(address) && !former.has(name),
  );
  return lookAlikeOf(target, undeclared);
}

function manualRename({ address, name, location }: WorkspaceChange, live: WorkspaceResource): Accepting {
  const place = location ? ` at ${location.file}:${location.line}` : '';
  return {
    address,
    reason: `it is not live, and ${live.address}, which no file declares, looks like it: it was probably renamed on the service`,
    hint: `rename the key ${JSON.stringify(name)}${place} and its references to ${JSON.stringify(live.name)} to keep the new name, or add \`renamed-from: ${live.name}\` and run \`attune apply\` to restore the former one`,
    livesAs: live.address,
  };
}
