import type { Field } from '../fields.ts';
import { conflict, type Rule } from './workspace-rules.ts';

/** Settings that exclude one another. */
export const settingRules: readonly Rule[] = [
  ({ fields }) => {
    const token = fields.get('vcs-repo.oauth-token-id');
    const app = fields.get('vcs-repo.vcs-app-installation-id');
    if (!token || !app) return undefined;
    const { location, see } = conflict(app, token);
    return {
      code: 'two-vcs-connections',
      message: `"oauth-token-id" and "vcs-app-installation-id" exclude each other; ${see}`,
      hint: 'keep one of the two',
      location,
    };
  },
  ({ fields }) => {
    const time = fields.get('auto-destroy-at');
    const duration = fields.get('auto-destroy-activity-duration');
    if (!time || !duration || time.value === null || duration.value === null) return undefined;
    const { location, see } = conflict(time, duration);
    return {
      code: 'auto-destroy-both',
      message: `"auto-destroy-at" and "auto-destroy-activity-duration" exclude each other; ${see}`,
      hint: 'with a duration the service sets the time itself; keep one of the two, or clear one with null',
      location,
    };
  },
  // The live service empties or refuses the loser of these without the interface saying so.
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
    const { location, see } = conflict(here, there);
    return {
      severity: dialect === 'terraform' ? 'error' : 'warning',
      code: 'exclusive-triggers',
      message: `live services take only one of "${first}" and "${second}"; ${see}`,
      hint: 'keep one way to start runs',
      location,
    };
  },
];

/** The field if it names something: no empty list, no empty text. */
function named(field: Field | undefined): Field | undefined {
  const value = field?.value;
  if (value === undefined || value === null || value === '') return undefined;
  return Array.isArray(value) && value.length === 0 ? undefined : field;
}
