import { type Diagnostic, type ProblemOptions, problem } from './diagnostic.ts';

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
export function dialectProblem(
  path: string,
  { only, dialect }: { readonly only: Dialect | undefined; readonly dialect: Dialect | undefined },
  at: ProblemOptions['at'],
): Diagnostic | undefined {
  if (!only || !dialect || only === dialect) return undefined;
  const message = `${path} does not exist in the \`${dialect}\` dialect: only \`${only}\` services have it`;
  return problem('not-in-dialect', message, { at });
}

/** Features that a service may lack (`service.without`). */
export type Feature =
  | 'remote-state-consumers'
  | 'team-access'
  | 'safe-delete'
  | 'data-retention'
  | 'tag-bindings'
  | 'projects'
  | 'setting-overwrites';

export const features: Readonly<Record<Feature, string>> = {
  'remote-state-consumers': 'remote state consumers',
  'team-access': 'project team access',
  'safe-delete': 'safe delete',
  'data-retention': 'data retention policies',
  'tag-bindings': 'key/value tags',
  projects: 'projects',
  'setting-overwrites': 'setting-overwrites',
};

export const featureNames = Object.keys(features) as readonly Feature[];
