import type { Diagnostic } from '../model/diagnostic.ts';
import { type Feature, features } from '../model/feature.ts';

/** One note per feature that a read wanted and the service lacks. */
export function notOfferedNotes(missing: Iterable<Feature>): Diagnostic[] {
  return [...new Set(missing)].map((feature) => ({
    severity: 'note',
    code: 'not-offered',
    message: `this service does not offer ${features[feature]}: left out`,
    hint: `add ${feature} to service.without to skip the check`,
  }));
}
