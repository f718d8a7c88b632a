import { type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { asListRule } from '../model/list-rule.ts';
import { type ConsumerRef, isWorkspaceId, resourcesOf, workspaceAddress } from '../model/state.ts';

/** More unknown names are not worth their requests. */
const mostNames = 5;
/** Halves of shorter names match nearly every workspace. */
const shortestName = 4;

/**
 * The live state with names of workspaces that begin or end as an unknown consumer does, for a hint: a plan reads consumers
 * one by one, so the workspace that was meant is not among those that it read.
 */
export async function withSimilarNames(
  live: Live,
  { desired }: Pick<Configuration, 'desired'>,
  { source, chosen }: { readonly source: LiveSource; readonly chosen: (address: string) => boolean },
): Promise<Live> {
  if (live.whole) return live;
  const known = new Set(live.names.values());
  const unknown = resourcesOf(desired.resources.values(), 'workspace')
    .filter(({ address, declared }) => chosen(address) && !declared?.absent)
    .flatMap(({ attributes }) => {
      const rule = asListRule<ConsumerRef>(attributes['remote-state-consumers']);
      return rule ? ('add' in rule ? rule.add : rule.exactly) : [];
    })
    .filter((ref) => typeof ref === 'string')
    .filter((ref) => !isWorkspaceId(ref) && ref.length >= shortestName && !ref.includes('*'))
    .filter((ref) => {
      const address = workspaceAddress(ref);
      return !desired.resources.has(address) && !live.state.resources.has(address) && !known.has(ref);
    });
  const { organization } = desired;
  const service = { organization, dialect: live.dialect };
  const similarNames = await workspacesLike([...new Set(unknown)].slice(0, mostNames), source, service);
  return similarNames.length > 0 ? { ...live, similarNames } : live;
}

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
