import type { ValidateFunction } from 'ajv/dist/2020.js';

type Part = 'root' | 'included' | 'policy-file' | 'templates' | 'workspaces' | 'team-access';

/** Written by scripts/compile-schemas.mjs. Missing in the sources. */
declare const validators: Readonly<Record<Part, ValidateFunction>>;
export default validators;
