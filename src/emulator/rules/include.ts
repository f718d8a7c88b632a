import type { Dialect } from '../../model/dialect.ts';
import { reject } from '../http/rejection.ts';

/** The values of `include` on workspaces (interface, section 4.8). */
export const includeNames = [
  'current_configuration_version',
  'current_configuration_version.ingress_attributes',
  'current_run',
  'current_run.configuration_version',
  'current_run.configuration_version.ingress_attributes',
  'current_run.plan',
  'locked_by',
  'organization',
  'outputs',
  'project',
  'readme',
] as const;

/** What the live service takes besides. */
const liveIncludeNames = [
  'agent_pool',
  'current_state_version',
  'current-state-version',
  'current_assessment_result',
  'effective_tag_bindings',
  'latest_run',
  'vars',
] as const;

/** Reads `include`. An unknown value is a bad request, which old servers' clients rely on. */
export function readInclude(query: URLSearchParams, dialect: Dialect): readonly string[] {
  const names = (query.get('include') ?? '').split(',').filter((name) => name !== '');
  const known: readonly string[] =
    dialect === 'terraform' ? [...includeNames, ...liveIncludeNames] : includeNames;
  for (const name of names) {
    if (!known.includes(name)) throw reject(400, `Invalid include parameter: ${name}`);
  }
  return names;
}
