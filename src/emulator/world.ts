import type { Dialect } from '../model/dialect.ts';
import type { Edition } from './options.ts';
import type { Store } from './store/store.ts';

/** What every route works with. */
export interface World {
  readonly store: Store;
  readonly dialect: Dialect;
  /** Null: both editions at once, which is how the interface document describes the service. */
  readonly edition: Edition | null;
  /** The time as the service writes it. */
  readonly now: () => string;
}

export function hasDataRetention(world: World): boolean {
  return world.edition !== 'hosted';
}

export function hasAssessments(world: World): boolean {
  return world.edition !== 'self-hosted';
}
