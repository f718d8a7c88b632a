import fc from 'fast-check';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import type { Plan } from '../../src/model/plan.ts';
import { type Amount, cases } from '../support/cases.ts';
import { type Desired, desiredOrganization } from './desired-organization.ts';
import { type Flavour, flavours, liveOrganization } from './live-organization.ts';
import { configurationOf, openScene, type Scene } from './scene.ts';

/** A pair of organizations. */
export interface Pair {
  readonly flavour: Flavour;
  readonly live: OrganizationSeed;
  readonly desired: Desired;
  /** Chance for the property itself. */
  readonly dice: readonly number[];
}

/** A pair with a service that holds its live side, and the plan for it. */
export interface Case extends Scene {
  readonly pair: Pair;
  readonly configuration: Configuration;
  readonly planned: Plan;
  /** Another service that holds the same. */
  copy(): Promise<Scene>;
}

/** Pairs of a desired and a live organization. */
export const pairs = fc.constantFrom(...flavours).chain((flavour) =>
  liveOrganization(flavour).chain((live) =>
    fc.record({
      flavour: fc.constant(flavour),
      live: fc.constant(live),
      desired: desiredOrganization(flavour, live),
      dice: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    }),
  ),
);

/** Codes of errors that a pair may have: the configuration is impossible, and nothing is sent. */
const mistakes = new Set([
  'exclusive-settings',
  'missing-key',
  'reference-to-tombstone',
  'manages-resources',
  'outside-scope',
]);

/** How many pairs may be skipped for each that is tried. About one in four has a mistake. */
export const maxSkipsPerRun = 10;

/**
 * Tries a property with generated pairs of desired and live organizations. A pair with one of these mistakes is
 * replaced by another.
 *
 * @param amount how many pairs are tried
 */
export async function forAllPairs(amount: Amount, property: (one: Case) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(pairs, async (pair) => {
      const { configuration, diagnostics } = await configurationOf(pair.desired);
      if (configuration === undefined) return skip(diagnostics);
      const open = () => openScene({ ...pair.flavour, seed: { organization: 'acme', ...pair.live } });
      const scene = await open();
      try {
        const plan = await scene.plan(configuration).catch((error: unknown) => {
          if (!(error instanceof DiagnosticsError)) throw error;
          return skip(error.diagnostics);
        });
        await property({ ...scene, pair, configuration, planned: plan, copy: open });
      } finally {
        await scene.close();
      }
    }),
    { ...cases(amount), maxSkipsPerRun },
  );
}

/** Tries a property with generated pairs, also with those that no plan accepts. */
export async function forAllPairsAndRefused(
  amount: Amount,
  property: (one: Pick<Case, 'pair' | 'service'>) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(pairs, async (pair) => {
      const scene = await openScene({ ...pair.flavour, seed: { organization: 'acme', ...pair.live } });
      try {
        await property({ service: scene.service, pair });
      } finally {
        await scene.close();
      }
    }),
    cases(amount),
  );
}

/** Ends the attempt with a pair that cannot be planned. */
export function skip(diagnostics: readonly { readonly severity: string; readonly code: string }[]): never {
  const others = diagnostics.filter(({ severity, code }) => severity === 'error' && !mistakes.has(code));
  if (others.length > 0) throw new Error(`not expected of a generated pair: ${JSON.stringify(others)}`);
  fc.pre(false);
}
