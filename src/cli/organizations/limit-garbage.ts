import { setFlagsFromString } from 'node:v8';

/** From this number of root files on, memory matters more than the time that V8 takes to collect garbage. */
const manyRoots = 8;

/**
 * Makes V8 collect garbage before it has a fifth of the size of the data, instead of twice the size. Responses of the
 * service are large: a run over many organizations would need more memory for its garbage than for its data.
 */
export function limitGarbage(roots: number): void {
  if (roots < manyRoots) return;
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--optimize-for-size');
}
