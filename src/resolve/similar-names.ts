import { type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { isWorkspaceId, resourcesOf, workspaceAddress } from '../model/state.ts';
import { consumerRefs } from './live-query-of.ts';

/** More unknown names are not worth their requests. */
const mostNames = 5;
/** Halves of shorter names match nearly every workspace. */
const shortestName = 4;

/**
 * Names of live workspaces that begin or end as an unknown consumer does, for a hint: the plan reads consumers one by
 * one, so the workspace that was meant is not among those that it read.
 */
export async function namesLikeUnknown(
  { desired }: Configuration,
  live: Live,
  source: LiveSource,
): Promise<readonly string[]> {
  if (live.whole) return [];
  const unknown = resourcesOf(desired.resources.values(), 'workspace')
    .flatMap((workspace) => consumerRefs(workspace))
    .filter((ref) => typeof ref === 'string')
    .filter((ref) => !isWorkspaceId(ref) && ref.length >= shortestName && !ref.includes('*'))
    .filter((ref) => {
      const address = workspaceAddress(ref);
      return !desired.resources.has(address) && !live.state.resources.has(address);
    });
  return workspacesLike([...new Set(unknown)].slice(0, mostNames), source, {
    organization: desired.organization,
    dialect: live.dialect,
  });
}

/** Names of live workspaces that begin or end as these do. */
export async function workspacesLike(
  names: readonly string[],
  source: LiveSource,
  service: Pick<LiveQuery, 'organization' | 'dialect'>,
): Promise<readonly string[]> {
  const patterns = names.flatMap((name) => {
    const half = Math.ceil(name.length / 2);
    return [`${name.slice(0, half)}*`, `*${name.slice(half)}`];
  });
  if (patterns.length === 0) return [];
  try {
    const { state } = await source.read({
      ...service,
      ...readsNothing,
      scopes: [{ names: patterns }],
    });
    return resourcesOf(state.resources.values(), 'workspace').map(({ name }) => name);
  } catch (error) {
    // The error about the name matters more than its hint.
    if (error instanceof AttuneError) return [];
    throw error;
  }
}
