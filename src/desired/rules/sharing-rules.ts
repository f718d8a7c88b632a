import { type SharingSwitch, sharingSwitches } from '../../model/attributes.ts';
import { problem, showPlace } from '../../model/diagnostic.ts';
import { countingLists, type Field, type Fields, type Layered } from '../../model/fields.ts';
import type { Resource } from '../../model/state.ts';
import { counted, quote } from '../../model/text.ts';
import type { Value } from '../../model/value.ts';
import type { Loading } from '../problems.ts';
import { type CheckedWorkspace, conflictOf, type RuleContext } from './setting-rules.ts';

/** The switch that shares the state with more than the consumers, if the layers turn one on. */
function declaredSwitch(fields: Fields): { readonly path: SharingSwitch; readonly field: Field } | undefined {
  for (const path of sharingSwitches) {
    const field = fields.get(path);
    if (field?.value === true) return { path, field };
  }
  return undefined;
}

/** Who may read a workspace's state. */
export function checkSharing({ name, address, fields }: CheckedWorkspace, context: RuleContext): void {
  const consumers = fields.get('remote-state-consumers');
  if (!consumers) return;
  const { problems } = context.loading;
  const shared = declaredSwitch(fields);
  if (shared) {
    const { path, field } = shared;
    const found = conflictOf(
      consumers,
      field,
      'consumers-with-global',
      `"remote-state-consumers" cannot be combined with ${path}: true`,
      { hint: `write ${path}: false to share the state with these consumers only` },
    );
    problems.add({ ...found, address });
  }
  const { exactly = [], add = [] } = (consumers.value ?? {}) as Partial<
    Record<'exactly' | 'add', readonly Value[]>
  >;
  const wanted = new Set([...exactly, ...add]);
  for (const { field, list } of countingLists(consumers))
    for (const [index, consumer] of list.items.entries()) {
      if (typeof consumer !== 'string' || list.effect === 'remove' || !wanted.has(consumer)) continue;
      const tombstone = context.tombstones.get(consumer);
      // A list of a layer leaves the workspace itself out, as a selector does.
      const isSelf = consumer === name && field.layer === 'workspace';
      if (!isSelf && !tombstone) continue;
      problems.add({
        ...(tombstone
          ? problem(
              'reference-to-tombstone',
              `${quote(consumer)} is deleted by this configuration (${showPlace(tombstone)})`,
            )
          : problem('self-consumer', `the workspace ${quote(name)} cannot be its own consumer`)),
        address,
        location: list.locate(index),
      });
    }
}

/**
 * The layers of a workspace without a consumer list that has no effect: one of the defaults or a template, where the
 * workspace shares its state with all or with its project.
 */
export function withoutIgnoredConsumers(layered: Layered, address: string, { problems }: Loading): Layered {
  const path = 'remote-state-consumers';
  const consumers = layered.fields.get(path);
  const shared = declaredSwitch(layered.fields);
  if (!consumers || consumers.layer === 'workspace' || !shared) return layered;
  const { path: everyone, field: by } = shared;
  problems.note(
    'consumers-ignored',
    `"${path}" of a layer is ignored: ${everyone} is true, see ${showPlace(by.location)}`,
    {
      at: { address, location: consumers.location },
      hint: `write ${everyone}: false to share the state with these consumers only, or unmanaged: [${path}] at the workspace`,
    },
  );
  const fields = new Map(layered.fields);
  fields.delete(path);
  const removed = new Map(layered.removed).set(path, { field: consumers, path: everyone, by });
  return { ...layered, fields, removed };
}

/** One warning for all workspaces that share their state with the organization, at the first of them. */
export function checkSharedWithAll(workspaces: readonly Resource[], { problems }: Loading): void {
  const shared = workspaces.filter(({ attributes }) => attributes['global-remote-state'] === true);
  const [first] = shared;
  const location = first?.declared?.locations?.['global-remote-state'];
  if (!first || !location) return;
  const more = shared.length > 1 ? ` (and that of ${counted(shared.length - 1, 'more workspace')})` : '';
  problems.warning(
    'global-remote-state',
    `every workspace of the organization can read this state, and the secrets in it${more}`,
    {
      at: { address: first.address, location },
      hint: 'list the workspaces that need the state under remote-state-consumers',
    },
  );
}
