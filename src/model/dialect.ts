/**
 * The two spellings of one interface. `iac` is the neutral one of the interface document; `terraform` is what the
 * live service speaks. Files, plans and reports use the neutral names everywhere: only the wire differs.
 */
export const dialects = ['iac', 'terraform'] as const;
/** One of the two spellings of the interface. */
export type Dialect = (typeof dialects)[number];
