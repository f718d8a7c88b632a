import type { Difference } from '../diff/diff.ts';
import { readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { GrantChange } from '../model/change.ts';
import { type AdminGuard, type Configuration, shownAs } from '../model/configuration.ts';
import { type Diagnostic, note, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { type GrantResource, resourcesOf } from '../model/state.ts';
import { ServiceError } from '../service/service-error.ts';

export type GuardName = 'keep-admin' | 'keep-self';

/** What the guards of access compare. */
export interface GuardInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes' | 'after'>;
  readonly source: LiveSource;
  /** Whether the plan covers all that the configuration declares; else only changed projects are checked. */
  readonly isWhole: boolean;
}

/**
 * The live access to a project.
 *
 * @throws {DiagnosticsError} if this token may not read it.
 */
export async function grantsOfProject(
  project: string,
  { guard = 'keep-admin', location }: { readonly guard?: GuardName } & Pick<AdminGuard, 'location'>,
  {
    configuration,
    dialect,
    source,
  }: Pick<GuardInput, 'configuration' | 'source'> & { readonly dialect: Dialect },
): Promise<readonly GrantResource[]> {
  try {
    const { state } = await source.read({
      organization: configuration.desired.organization,
      dialect,
      ...readsNothing,
      projects: [project],
    });
    return resourcesOf(state.resources.values(), 'team-access');
  } catch (error) {
    if (!(error instanceof ServiceError) || ![403, 404].includes(error.status)) throw error;
    throw new DiagnosticsError([
      problem(
        guard,
        `guards.${guard} cannot be checked for project ${shownAs(configuration, 'projects', project)}: ${error.message}`,
        {
          at: location,
          hint: 'use a token that may read the access to this project, or remove the project from the configuration',
        },
      ),
    ]);
  }
}

/** What a change does with a grant. */
export function movement({ action, live, target }: GrantChange): string {
  if (action === 'delete') return 'is revoked';
  const [before, after] = [live?.attributes.access, target?.attributes.access];
  return before === after ? `loses permissions under ${before}` : `is lowered from ${before} to ${after}`;
}

/** The note of a guard that cannot be checked. */
export function unchecked(
  guard: GuardName,
  why: string,
  { location }: Pick<AdminGuard, 'location'>,
): Diagnostic {
  return note('guard-not-checked', `guards.${guard} was not checked: ${why}`, { at: location });
}
