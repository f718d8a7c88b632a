import { setFlagsFromString } from 'node:v8';
import type { Configuration } from '../../desired/configuration.ts';

/** From this number of declared resources on, memory matters more than the time that V8 takes to collect garbage. */
const manyResources = 20_000;

/**
 * Makes V8 collect garbage before it has the size of a third of the data, instead of twice the size: responses of the
 * service are large, and runs over many organizations would need more memory for their garbage than for their data.
 */
export function limitGarbage(configurations: readonly Pick<Configuration, 'desired'>[]): void {
  const count = configurations.reduce((sum, { desired }) => sum + desired.resources.size, 0);
  if (count > manyResources) setFlagsFromString('--heap-growing-percent=30');
}
