import { deleteOlder, dontDelete } from '../documents/retention.ts';
import { invalid, refuseInvalid } from '../http/rejection.ts';
import type { InputResource } from './documents.ts';

/** The days of a policy that a request sends; null where nothing shall ever be deleted. */
export function readRetentionDays(resource: InputResource): number | null {
  if (resource.type === dontDelete) return null;
  const { attributes, type } = resource;
  // The documentation and the official client spell the attribute differently, and both are in use.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (type !== deleteOlder && type !== 'data-retention-policies') {
    refuseInvalid([invalid('/data/type', `must be ${deleteOlder} or ${dontDelete}`)]);
  }
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1) {
    refuseInvalid([
      invalid('/data/attributes/delete-older-than-n-days', 'must be a whole number greater than 0'),
    ]);
  }
  return Number(days);
}
