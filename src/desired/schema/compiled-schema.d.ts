import type { Validators } from './schema.ts';

/** Written by scripts/compile-schemas.mjs. Missing in the sources. */
declare const validators: Validators;
export default validators;
