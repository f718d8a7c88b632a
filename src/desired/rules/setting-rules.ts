import {
  attributePaths,
  type SharingSwitch,
  sharingSwitches,
  workspaceAttributes,
} from '../../model/attributes.ts';
import { dialectProblem } from '../../model/dialect.ts';
import type { Resource } from '../../model/state.ts';
import { counted } from '../../model/text.ts';
import type { Value } from '../../model/value.ts';
import { showPlace } from '../declarations.ts';
import { countingLists, type Field, type Fields, type Layered } from '../fields.ts';
import type { Loading } from '../problems.ts';
import { quote } from '../text.ts';
import { type CheckedWorkspace, conflictPlace, type Rule, type RuleContext } from './rule.ts';

/** Settings that exclude one another. */
export const settingRules: readonly Rule[] = [
  ({ fields }) => {
    const token = fields.get('vcs-repo.oauth-token-id');
    const app = fields.get('vcs-repo.vcs-app-installation-id');
    if (!token || !app) return undefined;
    const { location, see } = conflictPlace(app, token);
    return {
      code: 'two-vcs-connections',
      message: `"oauth-token-id" cannot be combined with "vcs-app-installation-id"; ${see}`,
      hint: 'keep one of the two',
      location,
    };
  },
  ({ fields }) => {
    const time = fields.get('auto-destroy-at');
    const duration = fields.get('auto-destroy-activity-duration');
    if (!time || !duration || time.value === null || duration.value === null) return undefined;
    const { location, see } = conflictPlace(time, duration);
    return {
      code: 'auto-destroy-both',
      message: `"auto-destroy-at" cannot be combined with "auto-destroy-activity-duration"; ${see}`,
      hint: 'keep one of the two, or clear one with null; with a duration, the service computes the time',
      location,
    };
  },
  ({ fields }) => {
    const [everyone, project] = sharingSwitches.map((path) => fields.get(path));
    if (everyone?.value !== true || project?.value !== true) return undefined;
    const { location, see } = conflictPlace(project, everyone);
    return {
      code: 'two-sharing-switches',
      message: `"global-remote-state" and "project-remote-state" cannot both be true; ${see}`,
      hint: 'keep project-remote-state to share the state with the workspaces of the project only',
      location,
    };
  },
  ({ fields }, { dialect }) => {
    for (const path of partialPaths) {
      const field = fields.get(path);
      const problem = field && dialectProblem(path, workspaceAttributes[path].only, dialect);
      if (problem) return { ...problem, location: field.location };
    }
    return undefined;
  },
  // The live service empties or refuses one of these settings. The interface does not document this.
  ({ fields }, { dialect }) => {
    const patterns = named(fields.get('trigger-patterns'));
    const prefixes = named(fields.get('trigger-prefixes'));
    const regex = named(fields.get('vcs-repo.tags-regex'));
    const triggers = fields.get('file-triggers-enabled');
    const pair: readonly [string, Field, string, Field] | undefined =
      patterns && prefixes
        ? ['trigger-patterns', patterns, 'trigger-prefixes', prefixes]
        : patterns && triggers?.value === false
          ? ['trigger-patterns', patterns, 'file-triggers-enabled: false', triggers]
          : regex && patterns
            ? ['tags-regex', regex, 'trigger-patterns', patterns]
            : regex && prefixes
              ? ['tags-regex', regex, 'trigger-prefixes', prefixes]
              : regex && triggers?.value === true
                ? ['tags-regex', regex, 'file-triggers-enabled: true', triggers]
                : undefined;
    if (!pair) return undefined;
    const [first, here, second, there] = pair;
    const { location, see } = conflictPlace(here, there);
    return {
      severity: dialect === 'terraform' ? 'error' : 'warning',
      code: 'exclusive-triggers',
      message: `live services accept only one of "${first}" and "${second}"; ${see}`,
      hint: 'keep one of the two triggers',
      location,
    };
  },
];

/** The attributes that services of one dialect have. */
const partialPaths = attributePaths.filter((path) => workspaceAttributes[path].only !== undefined);

/** The switch that shares the state with more than the consumers, if the layers turn one on. */
function declaredSwitch(fields: Fields): { readonly path: SharingSwitch; readonly field: Field } | undefined {
  for (const path of sharingSwitches) {
    const field = fields.get(path);
    if (field?.value === true) return { path, field };
  }
  return undefined;
}

/** The field if it is not an empty list or text. */
function named(field: Field | undefined): Field | undefined {
  const value = field?.value;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'object') return field;
  const { exactly = [], add = [] } = value as {
    readonly exactly?: readonly Value[];
    readonly add?: readonly Value[];
  };
  return exactly.length + add.length > 0 ? field : undefined;
}

/** Who may read a workspace's state. */
export function sharingRules({ name, address, fields }: CheckedWorkspace, context: RuleContext): void {
  const consumers = fields.get('remote-state-consumers');
  if (!consumers) return;
  const { problems } = context.loading;
  const shared = declaredSwitch(fields);
  if (shared) {
    const { location, see } = conflictPlace(consumers, shared.field);
    problems.add({
      code: 'consumers-with-global',
      message: `"remote-state-consumers" cannot be combined with ${shared.path}: true; ${see}`,
      hint: `write ${shared.path}: false to share the state with these consumers only`,
      address,
      location,
    });
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
          ? {
              code: 'reference-to-tombstone',
              message: `${quote(consumer)} is deleted by this configuration (${showPlace(tombstone)})`,
              hint: 'remove it from the list',
            }
          : {
              code: 'self-consumer',
              message: `the workspace ${quote(name)} cannot be its own consumer`,
              hint: 'remove it from the list; a workspace can always read its own state',
            }),
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
  problems.add({
    severity: 'note',
    code: 'consumers-ignored',
    message: `"${path}" of a layer is ignored: ${everyone} is true, see ${showPlace(by.location)}`,
    hint: `write ${everyone}: false to share the state with these consumers only, or unmanaged: [${path}] at the workspace`,
    address,
    location: consumers.location,
  });
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
  problems.add({
    severity: 'warning',
    code: 'global-remote-state',
    message: `every workspace of the organization can read this state, and the secrets in it${more}`,
    hint: 'list the workspaces that need the state under remote-state-consumers',
    address: first.address,
    location,
  });
}
