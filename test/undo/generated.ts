import type fc from 'fast-check';
import type { Dialect } from '../../src/model/dialect.ts';
import { desiredOrganization } from '../properties/desired-organization.ts';
import { liveOrganization } from '../properties/live-organization.ts';

/** The live and the declared state: an apply with every kind of change that can be undone, and that cannot. */
export interface Generated {
  readonly seed: Record<string, unknown>;
  readonly configuration: Record<string, unknown>;
}

export function organizations(dialect: Dialect): fc.Arbitrary<Generated> {
  const flavour = { dialect, edition: 'self-hosted' } as const;
  return liveOrganization(flavour).chain((live) =>
    desiredOrganization(flavour, live).map(({ scope: _scope, prune: _prune, ...desired }) => {
      const configuration = { attune: 1, organization: 'acme', ...desired, service: { dialect } };
      // As a file has it: what is undefined is not there.
      return JSON.parse(JSON.stringify({ seed: live, configuration }));
    }),
  );
}
