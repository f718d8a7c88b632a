import type { AccessResult } from '../model/access-result.ts';

/** What `attune access --format json` prints; see schemas/access.schema.json. */
export function accessDocument(result: AccessResult) {
  return { format: 'attune.access/1', ...result } as const;
}
