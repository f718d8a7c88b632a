import type { Resource } from '../../model/state.ts';
import { counted } from '../../model/text.ts';
import { showPlace } from '../declarations.ts';
import type { Loading } from '../loading.ts';
import { locateValue } from '../origins.ts';
import { quote } from '../quote.ts';
import { conflict, type JudgedWorkspace, type RuleContext } from './workspace-rules.ts';

/** Who may read a workspace's state. */
export function sharingRules({ name, address, fields }: JudgedWorkspace, context: RuleContext): void {
  const consumers = fields.get('remote-state-consumers');
  if (!consumers) return;
  const { problems, origins } = context.loading;
  const everyone = fields.get('global-remote-state');
  if (everyone?.value === true) {
    const { location, see } = conflict(consumers, everyone);
    problems.add({
      code: 'consumers-with-global',
      message: `"remote-state-consumers" and global-remote-state: true exclude each other; ${see}`,
      hint: 'write global-remote-state: false to share with these only',
      address,
      location,
    });
  }
  for (const list of wantedLists(consumers.raw))
    for (const [index, consumer] of list.entries()) {
      if (typeof consumer !== 'string') continue;
      const tombstone = context.tombstones.get(consumer);
      if (consumer !== name && !tombstone) continue;
      const location = locateValue(origins, list, index);
      problems.add(
        tombstone
          ? {
              code: 'reference-to-tombstone',
              message: `${quote(consumer)} is deleted by this configuration (${showPlace(tombstone)})`,
              hint: 'remove it from the list',
              address,
              location,
            }
          : {
              code: 'self-consumer',
              message: `${quote(name)} cannot be a consumer of its own state`,
              hint: 'remove it from the list; a workspace reads its own state anyway',
              address,
              location,
            },
      );
    }
}

/** The lists whose entries shall be consumers; what is under `remove` shall not. */
function wantedLists(raw: unknown): readonly (readonly unknown[])[] {
  if (Array.isArray(raw)) return [raw];
  const add = (raw as { add?: unknown } | undefined)?.add;
  return Array.isArray(add) ? [add] : [];
}

/** One warning for all workspaces that share their state with the organization, at the first of them. */
export function judgeSharedWithAll(workspaces: readonly Resource[], { problems }: Loading): void {
  const shared = workspaces.filter(({ attributes }) => attributes['global-remote-state'] === true);
  const [first] = shared;
  const location = first?.declared?.locations?.['global-remote-state'];
  if (!first || !location) return;
  const more = shared.length > 1 ? ` (and that of ${counted(shared.length - 1, 'more workspace')})` : '';
  problems.add({
    severity: 'warning',
    code: 'global-remote-state',
    message: `every workspace of the organization can read this state, and the secrets in it${more}`,
    hint: 'name those that need it under remote-state-consumers',
    address: first.address,
    location,
  });
}
