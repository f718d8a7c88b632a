import type { ValidateFunction } from 'ajv';

/** Written by scripts/compile-schemas.mjs. Missing in the sources. */
declare const validate: ValidateFunction;
export default validate;
