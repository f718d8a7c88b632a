import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/state.ts';
import { counted } from '../../model/text.ts';

/** One note, at the first resource, for all that `--only-changed` does not create because the base declares them, too. */
export function notCreated([first, ...others]: readonly Resource[]): Diagnostic[] {
  if (!first) return [];
  const more = others.length > 0 ? ` (and ${counted(others.length, 'more resource')})` : '';
  return [
    {
      severity: 'note',
      code: 'not-created',
      message: `${first.address}${more} does not exist and is not created: the base declares it, too`,
      address: first.address,
      ...(first.location && { location: first.location }),
      hint: 'plan without --only-changed to create it',
    },
  ];
}
