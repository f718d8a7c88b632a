/**
 * The two spellings of one interface. `iac` is the neutral one of the interface document; `terraform` is that of
 * the live service. Files, plans and reports always use the neutral names; only requests and responses differ.
 */
export const dialects = ['iac', 'terraform'] as const;
/** One of the two spellings of the interface. */
export type Dialect = (typeof dialects)[number];
