/**
 * The two spellings of one interface. `iac` is the neutral one of the interface document; `terraform` is that of
 * the live service. Files, plans and reports always use the neutral names; only requests and responses differ.
 */
export const dialects = ['iac', 'terraform'] as const;
/** One of the two spellings of the interface. */
export type Dialect = (typeof dialects)[number];

/**
 * Why a service of this dialect does not accept a setting; `undefined` if it does or its dialect is unknown.
 *
 * @param only the only dialect that has the setting
 */
export function dialectProblem(path: string, only: Dialect | undefined, dialect: Dialect | undefined) {
  if (!only || !dialect || only === dialect) return undefined;
  return {
    code: 'not-in-dialect',
    message: `${path} does not exist in the \`${dialect}\` dialect: only \`${only}\` services have it`,
    hint: `remove ${path}`,
  };
}
