import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, note, warning } from '../model/diagnostic.ts';
import { isHeld, type PlannedChange } from '../model/plan.ts';
import { type GrantResource, type Resource, resourcesOf } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { day } from '../model/time.ts';
import { checkExceptionDays } from './exceptions.ts';
import type { LeftOut } from './keep-live.ts';

/** How many days before its end an access is announced. */
const announcedDays = 14;

/** The configuration at a time: a grant that has ended counts as `none`. Without such grants it is returned unchanged. */
export function withEndedAccess<Declared extends Pick<Configuration, 'desired'>>(
  configuration: Declared,
  now: number,
): Declared {
  const { desired } = configuration;
  const ended = endedGrants(configuration, now);
  if (ended.length === 0) return configuration;
  const resources = new Map<string, Resource>(desired.resources);
  for (const grant of ended) resources.set(grant.address, revoked(grant));
  return { ...configuration, desired: { ...desired, resources } };
}

/** What the end of access means: soon, now, or nothing any more. */
export function accessNotes(
  configuration: Configuration,
  {
    changes,
    now,
    chosen,
    leftOut,
  }: {
    readonly changes: readonly PlannedChange[];
    readonly now: number;
    readonly chosen: (address: string) => boolean;
    readonly leftOut: LeftOut;
  },
): Diagnostic[] {
  const changesByAddress = new Map(changes.map((change) => [change.address, change]));
  return endingGrants(configuration).flatMap((grant): Diagnostic | Diagnostic[] => {
    const { address, declared = {} } = grant;
    const { until, reason, locations } = declared;
    if (until === undefined || until.time - now > announcedDays * day || !chosen(address)) return [];
    const left = until.time - now;
    const why = reason === undefined ? '' : ` (${reason})`;
    const location = locations?.until ?? grant.location;
    const at = { address, ...(location && { location }) };
    if (left > 0) {
      const days = Math.ceil(left / day);
      const message = `${address} ends on ${until.written}, in ${counted(days, 'day')}${why}: it is revoked then`;
      return note('access-ends', message, { at });
    }
    const ended = `${address} ended on ${until.written}${why}`;
    const revocation = changesByAddress.get(address);
    if (revocation)
      return warning(
        'access-ended',
        `${ended}: ${isHeld(revocation) ? 'its revocation is held, and the access stays until then' : 'the access is revoked'}`,
        { at },
      );
    const hint = leftOut.has(address) ? 'plan without --only-changed to revoke it' : 'remove the entry';
    return note('access-ended', ended, { at, hint });
  });
}

/** What the dates of the files mean at a time, as far as it needs no live state. */
export function dateProblems(configuration: Configuration, now: number): Diagnostic[] {
  const { holds, limits } = configuration;
  const ended = endedGrants(configuration, now);
  return [
    ...ended.map(({ address, declared = {}, location }): Diagnostic => {
      const at = declared.locations?.until ?? location;
      return warning(
        'access-ended',
        `${address} ended on ${declared.until?.written}: an apply revokes the access, or does not grant it`,
        { at: { address, location: at } },
      );
    }),
    ...checkExceptionDays(holds?.exceptions ?? [], limits, now),
  ];
}

/** The declared grants that end. */
export function endingGrants({ desired }: Pick<Configuration, 'desired'>): readonly GrantResource[] {
  return resourcesOf(desired.resources.values(), 'team-access').filter(({ declared }) => declared?.until);
}

/** The declared grants that have ended at a time. */
export function endedGrants(
  configuration: Pick<Configuration, 'desired'>,
  now: number,
): readonly GrantResource[] {
  return endingGrants(configuration).filter(({ declared }) => declared?.until && declared.until.time <= now);
}

function revoked({ attributes, ...grant }: GrantResource): GrantResource {
  const { project, team } = attributes;
  return { ...grant, attributes: { project, team }, declared: { ...grant.declared, absent: 'safe' } };
}
