import type { Dialect } from '../model/dialect.ts';
import type { Store } from './store/store.ts';

/**
 * The two offerings of the service: data retention exists on the self-hosted one only, `assessments-enabled` on the
 * hosted one only.
 */
export const editions = ['hosted', 'self-hosted'] as const;
/** One of the two offerings. */
export type Edition = (typeof editions)[number];

export interface World {
  readonly store: Store;
  readonly dialect: Dialect;
  /** Null: both editions at once, as the interface document describes the service. */
  readonly edition: Edition | null;
  readonly now: () => string;
  /** The seconds that it is ahead of the system's clock. Tests set it, because what is deleted is kept for days. */
  readonly clock: { ahead: number };
}

export function hasDataRetention(world: World): boolean {
  return world.edition !== 'hosted';
}

export function hasAssessments(world: World): boolean {
  return world.edition !== 'self-hosted';
}
