import { showPlace } from '../declarations.ts';
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
