import { aliasOf } from '../desired/configuration.ts';
import { effectiveFields } from '../desired/effective-fields.ts';
import { listDifference } from '../diff/list-rule.ts';
import { lookAlikeOf } from '../diff/look-alikes.ts';
import { createNotices } from '../import/notices.ts';
import { stateWorkspace } from '../import/state-workspace.ts';
import type { StatedWorkspace, StatementPath } from '../import/statement.ts';
import type { AcceptedField } from '../model/accept-result.ts';
import {
  attributePaths,
  type Coupling,
  coupledPaths,
  isAttributePath,
  listPaths,
  nestedAttributes,
  sharingSwitchOf,
  workspaceAttributes,
} from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { type AcceptContext, type Accepting, chosenFields } from './acceptance.ts';
import type { Edit } from './edit-yaml.ts';
import { bindingCandidates, fieldBindings } from './own-bindings.ts';
import { listCandidates } from './own-value.ts';

/** The edits that make a workspace as it is live; undefined if none of its fields is chosen. */
export function workspaceEdits(change: WorkspaceChange, context: AcceptContext): Accepting | undefined {
  const { address, action, name, location } = change;
  const block = { file: location?.file ?? '', path: ['workspaces', name] };
  if (action !== 'update') {
    if (!context.chosen(address, '') || location === undefined) return undefined;
    const livesAs = action === 'create' ? renamedOnService(change, context) : undefined;
    if (livesAs !== undefined) return manualRename(change, livesAs);
    // A declaration that is not live ends; a tombstone whose workspace is live ends, too.
    const [before, after] = action === 'create' ? ['declared', null] : ['absent', 'live'];
    return {
      address,
      fields: [{ path: '', before, after }],
      candidates: [[{ ...block, value: undefined }]],
    };
  }
  const fields = chosenFields(change, context);
  if (fields.length === 0 || change.live === undefined) return undefined;
  if (fields.some(({ path }) => path === 'name')) {
    return {
      address,
      reason: 'its rename is not applied yet',
      hint: `apply the rename, or remove renamed-from and call it ${change.live.name} in the file`,
    };
  }
  const stated = statedBy(change.live, context);
  const paths = coupledWith(
    fields.map(({ path }) => path),
    change.live,
    stated,
  );
  const declared = new Map(
    effectiveFields(context.configuration, address).map((field) => [field.path, field]),
  );
  const ownValue = (path: string) => {
    const field = declared.get(path);
    return field?.origin.layer === 'workspace' ? field.origin.value : undefined;
  };
  const layered = context.configuration.layered.get(address);
  const perPath = paths.map((path): readonly (Value | undefined)[] => {
    const changed = fields.find((field) => field.path === path);
    const live = stated.statements.get(path as StatementPath)?.value;
    if (path === 'vcs-repo' && live !== null) return [repository(stated)];
    if (path === 'tag-bindings' && changed)
      return bindingCandidates({ own: ownValue(path), ...fieldBindings(changed) });
    if (!listPaths.has(path) || !Array.isArray(live) || !changed) return [live];
    const { add, remove } = entriesOf(changed);
    const shown = listEntries(path, context);
    return listCandidates({
      own: ownValue(path),
      isLayered: layered?.fields.get(path)?.lower !== undefined,
      live: live.map(String),
      difference: { add: add.map(shown), remove: remove.map(shown) },
      same: (a, b) => (context.live.dialect === 'terraform' ? a.toLowerCase() === b.toLowerCase() : a === b),
    });
  });
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
  const rounds = Math.max(...perPath.map((values) => values.length));
  return {
    address,
    fields: fields.map(({ path, before, add, remove }): AcceptedField => {
      const field = declared.get(path);
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
    }),
    candidates: Array.from({ length: rounds }, (_, round) =>
      paths.flatMap((path, index): Edit[] => {
        const values = perPath[index] ?? [];
        const value = values[Math.min(round, values.length - 1)];
        if (value === undefined && ownValue(path) === undefined) return [];
        return [{ file: block.file, path: [...block.path, ...keysOf(path)], value }];
      }),
    ),
  };
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

/** The paths that have to be written together with the changed ones. */
function coupledWith(
  changed: readonly string[],
  live: WorkspaceResource,
  { statements }: Pick<StatedWorkspace, 'statements'>,
): readonly string[] {
  // Without a repository there is nothing to declare below the key.
  if (changed.some((path) => path.startsWith('vcs-repo.')) && statements.get('vcs-repo')?.value === null) {
    const others = changed.filter((path) => !path.startsWith('vcs-repo.'));
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

/** Everything that a file can declare about a live workspace: by aliases of the files, else by ids. */
function statedBy(workspace: WorkspaceResource, { live, configuration }: AcceptContext): StatedWorkspace {
  const { aliases } = configuration;
  const aliasFor = (kind: keyof typeof aliases, id: string) => aliasOf(aliases, kind, id);
  return stateWorkspace(workspace, {
    live,
    aliases: {
      aliasOf: aliasFor,
      use: aliasFor,
      idOf: (kind, alias) => aliases[kind].get(alias),
      added: () => new Map(),
    },
    notices: createNotices(),
    detail: 'minimal',
  });
}

function repository({ statements }: StatedWorkspace): Value {
  const keys = attributePaths.filter((path) => path.startsWith('vcs-repo.'));
  return Object.fromEntries(
    keys.flatMap((path): [string, Value][] => {
      const statement = statements.get(path);
      return statement && !statement.isDefault ? [[path.slice('vcs-repo.'.length), statement.value]] : [];
    }),
  );
}

/** What a plan adds to a live list and removes from it. Lists that are attributes are planned as values. */
function entriesOf({
  before,
  after,
  add,
  remove,
}: FieldChange): Required<Pick<FieldChange, 'add' | 'remove'>> {
  if (add && remove) return { add, remove };
  const texts = (list: Value) => (Array.isArray(list) ? list.map(String) : []);
  return listDifference(texts(before), texts(after));
}

/** How a file writes an entry of a live list. */
function listEntries(path: string, { live }: AcceptContext): (entry: string) => string {
  if (path !== 'remote-state-consumers') return (entry) => entry;
  return (entry) => live.names.get(entry) ?? /^\{workspace\.(.+)\}$/.exec(entry)?.[1] ?? entry;
}

function keysOf(path: string): readonly string[] {
  const parent = nestedAttributes.find((name) => path.startsWith(`${name}.`));
  if (parent === undefined || !isAttributePath(path)) return [path];
  return [parent, path.slice(parent.length + 1)];
}
