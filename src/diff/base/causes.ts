import type { Live } from '../../live/read-live.ts';
import { destroyDuration, inheritedDestroyDuration, sharingSwitchOf } from '../../model/attributes.ts';
import { type Cause, type Change, type FieldChange, fieldsTogether } from '../../model/change.ts';
import type { Base, Configuration } from '../../model/configuration.ts';
import { asListRule, namedEntries } from '../../model/list-rule.ts';
import {
  type ConsumerRef,
  placeholderOf,
  type Resource,
  resourcesOf,
  workspaceAddress,
} from '../../model/state.ts';
import { nameOfConsumer } from '../../resolve/labels.ts';
import type { Difference } from '../diff.ts';
import {
  type DeclaredByBase,
  declaredByBase,
  identityKeys,
  indexOf,
  sameDeclaration,
} from './declared-by-base.ts';

/**
 * The changes with their causes: whether the configuration and its base declare different values, or both declare the same
 * and the live value differs.
 */
export function withCauses(
  changes: Difference['changes'],
  { desired, base }: Pick<Configuration, 'desired' | 'base'>,
  live: Live,
): Difference['changes'] {
  if (base === undefined) return changes;
  if (base.declared === undefined) return changes.map((change) => caused(change, 'unknown', () => 'unknown'));
  const before = declaredByBase(base);
  const after = indexOf(desired.resources.values());
  const declaredNow = (change: Change) =>
    desired.resources.get(change.address) ??
    (change.live && identityKeys(change.live).flatMap((key) => after.get(key) ?? [])[0]);
  const projects = resourcesOf(desired.resources.values(), 'project');
  const projectOf = ({ attributes }: Resource) =>
    projects.find(({ id, address }) =>
      [id, placeholderOf(address)].some((key) => key === attributes.project),
    );
  const handsDownOther = (workspace: Resource) => {
    const project = projectOf(workspace);
    const base = project && before.counterpart(project);
    return !sameDeclaration(
      destroyDuration,
      project?.attributes[destroyDuration],
      base?.attributes[destroyDuration],
    );
  };
  const isSelectedByOthers = (name: string) => {
    const resource = desired.resources.get(workspaceAddress(name));
    // An undeclared workspace is deleted, or the base declares it.
    if (resource === undefined) return before.counterpart(undeclared(name)) !== undefined;
    const project = projectOf(resource);
    const isDifferent = (one: Resource) => differs(one, before.counterpart(one));
    return isDifferent(resource) || (project !== undefined && isDifferent(project));
  };
  const context: CauseContext = { before, live, isSelectedByOthers, handsDownOther, base };
  return changes.map((change) => {
    const head = declaredNow(change);
    return caused(change, causeOf(change, head, context), (field) =>
      fieldCause(field, change, head, context),
    );
  });
}

interface CauseContext {
  readonly before: DeclaredByBase;
  readonly live: Live;
  readonly base: Base;
  /** Whether the base declares what selectors match differently, for the workspace of a name. */
  readonly isSelectedByOthers: (name: string) => boolean;
  /** Whether the base declares another activity duration of the project of a workspace. */
  readonly handsDownOther: (workspace: Resource) => boolean;
}

function caused<Changed extends Change>(
  change: Changed,
  cause: Cause,
  causeOfField: (field: FieldChange) => Cause,
): Changed {
  return {
    ...change,
    ...(change.action !== 'update' && { cause }),
    fields: change.fields.map((field) => ({ ...field, cause: causeOfField(field) })),
  };
}

/** Why a resource is created or deleted. */
function causeOf(change: Change, head: Resource | undefined, { before, live }: CauseContext): Cause {
  if (head) {
    const base = before.counterpart(head);
    return base !== undefined && base.declared?.absent === head.declared?.absent ? 'drift' : 'change';
  }
  return change.live && before.prunes(change.live, live.dialect) ? 'drift' : 'change';
}

function fieldCause(
  field: FieldChange,
  change: Change,
  head: Resource | undefined,
  context: CauseContext,
): Cause {
  const { path } = field;
  const base = head && context.before.counterpart(head);
  if (head === undefined || base === undefined) return 'change';
  if (path === 'name' && head.kind === 'workspace')
    return base.declared?.renamedFrom === head.declared?.renamedFrom ? 'drift' : 'change';
  const isSame = (one: string) => sameDeclaration(one, head.attributes[one], base.attributes[one]);
  if (!isSame(path)) return 'change';
  if (path === 'remote-state-consumers')
    return selectsOthers(field, { change, head }, context) ? 'change' : 'drift';
  // Declared as it was inherited, it differs only because its project does.
  const wasInherited =
    path === destroyDuration && change.live?.attributes[inheritedDestroyDuration] === field.after;
  if (wasInherited && change.target)
    return isSame('project') && !context.handsDownOther(change.target) ? 'drift' : 'change';
  if (head.attributes[path] !== undefined) return 'drift';
  // A value that follows from others has their cause.
  return fieldsTogether(head.kind, path).every(isSame) ? 'drift' : 'change';
}

/** Whether equal selectors select other workspaces, because the configurations declare these differently. */
function selectsOthers(
  { add = [], remove = [] }: FieldChange,
  { change, head }: { readonly change: Change; readonly head: Resource },
  { live, isSelectedByOthers }: CauseContext,
) {
  // The service returns no list of a shared state, so the entries that a selector adds are unknown.
  if (sharingSwitchOf(change.live?.attributes ?? {}) !== undefined) return false;
  const rule = asListRule<ConsumerRef>(head.attributes['remote-state-consumers']);
  if (!rule || namedEntries(rule).every((ref) => typeof ref === 'string')) return false;
  return [...add, ...remove].some((key) => {
    const name = nameOfConsumer(key, live.names);
    return name !== undefined && name !== change.name && isSelectedByOthers(name);
  });
}

/** What selectors match of a workspace, besides its name. */
const selectable = ['tags', 'project', 'tag-bindings'];

function differs(head: Resource, base: Resource | undefined): boolean {
  if (base === undefined || base.declared?.absent !== head.declared?.absent || base.name !== head.name)
    return true;
  return selectable.some((path) => !sameDeclaration(path, head.attributes[path], base.attributes[path]));
}

function undeclared(name: string): Resource {
  return { kind: 'workspace', address: workspaceAddress(name), name, attributes: {} };
}
