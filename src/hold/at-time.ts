/*
 * What the time of a plan decides. A grant whose `until` has passed counts as `none` in the files and in their base, before
 * anything is compared. A plan shows its time, the ends of access, and the next freeze windows.
 */

import type { Difference } from '../diff/diff.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, note, problem, warning } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { lastEnd } from '../model/rules.ts';
import { type GrantResource, type Resource, resourcesOf } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { day, printTime } from '../model/value.ts';
import { nextFreezes, windowsOf } from './freeze.ts';
import type { FilterInput, Kept } from './keep-live.ts';

/** The clock of a plan. */
export interface PlanClock {
  /** The present time. @default that of the system */
  readonly now?: Date | undefined;
  /** Another time than the present one: the plan shows what it will be then, and is never applied. */
  readonly at?: Date | undefined;
}

export function timeOf({ at, now = new Date() }: PlanClock): number {
  return (at ?? now).getTime();
}

/** The configuration and its base as they apply at the time of a plan. They are taken before names are resolved. */
export function atTime(configuration: Configuration, clock: PlanClock): Configuration {
  const now = timeOf(clock);
  const ended = withEndedAccess(configuration, now);
  const { base } = ended;
  if (base === undefined) return ended;
  const { loaded, declared } = base;
  return {
    ...ended,
    base: {
      ...base,
      loaded: loaded && withEndedAccess(loaded, now),
      declared: declared && withEndedAccess(declared, now),
    },
  };
}

/** A configuration in which a grant that has ended counts as `none`. Without such grants it is returned unchanged. */
export function withEndedAccess<Declared extends Pick<Configuration, 'desired'>>(
  configuration: Declared,
  now: number,
): Declared {
  const { desired } = configuration;
  const ended = endedGrants(configuration, now);
  if (ended.length === 0) return configuration;
  const resources = new Map<string, Resource>(desired.resources);
  for (const grant of ended)
    resources.set(grant.address, { ...grant, declared: { ...grant.declared, absent: 'safe' } });
  return { ...configuration, desired: { ...desired, resources } };
}

export function endingGrants({ desired }: Pick<Configuration, 'desired'>): readonly GrantResource[] {
  return resourcesOf(desired.resources.values(), 'team-access').filter(({ declared }) => declared?.until);
}

export function endedGrants(
  configuration: Pick<Configuration, 'desired'>,
  now: number,
): readonly GrantResource[] {
  return endingGrants(configuration).filter(({ declared }) => declared?.until && declared.until.time <= now);
}

interface Dated extends FilterInput {
  readonly kept: Kept;
  readonly difference: Difference;
  readonly isHypothetical: boolean;
}

export function withTime(plan: Plan, dated: Dated): Plan {
  const { configuration, live, difference, kept, now, isHypothetical, overrideFreeze } = dated;
  const next = nextFreezes(windowsOf({ ...dated, purpose: 'review' }), { now, live, found: difference });
  const changes = plan.changes.map((change) => {
    const nextFreeze = next.get(change.address);
    return nextFreeze ? { ...change, nextFreeze } : change;
  });
  const found = [...accessNotes(changes, dated), ...tooLongExceptions(configuration, now)];
  const isAsked = configuration.policies?.some(({ on, fields }) => on === 'plan' && fields.includes('now'));
  const isShown = isAsked || kept.isDated || found.length > 0 || isHypothetical;
  return {
    ...plan,
    changes,
    at: isShown ? printTime(now) : undefined,
    hypothetical: isHypothetical ? true : undefined,
    due: dated.due ? true : undefined,
    freezeOverridden: overrideFreeze,
    diagnostics: [...plan.diagnostics, ...kept.diagnostics, ...found],
  };
}

const announcedDays = 14;

function accessNotes(changes: Plan['changes'], dated: Dated): Diagnostic[] {
  const { configuration, now, chosen, found } = dated;
  const changed = new Map(changes.map((change) => [change.address, change]));
  const differing = new Set(found.changes.map((change) => change.address));
  return endingGrants(configuration).flatMap((grant): Diagnostic | Diagnostic[] => {
    const { address, declared = {} } = grant;
    const { until, reason, locations } = declared;
    if (until === undefined || until.time - now > announcedDays * day || !chosen(address)) return [];
    const why = reason === undefined ? '' : ` (${reason})`;
    const at = { address, location: locations?.until ?? grant.location };
    if (until.time > now) {
      const days = Math.floor((until.time - now) / day);
      const left = days === 0 ? 'within a day' : `in ${counted(days, 'day')}`;
      return note('access-ends', `${address} ends on ${until.written}, ${left}${why}`, { at });
    }
    const ended = `${address} ended on ${until.written}${why}`;
    const change = changed.get(address);
    if (change) {
      const { held = [], nextFreeze } = change;
      // A drift report holds nothing for a freeze window.
      const end = lastEnd(nextFreeze && nextFreeze.from <= printTime(now) ? [nextFreeze] : held);
      const hint = `apply to revoke it${end && `; it is held until ${end}`}`;
      return warning('access-ended', ended, { at, hint });
    }
    const hint = differing.has(address) ? 'plan without --only-changed to revoke it' : 'remove the entry';
    return note('access-ended', ended, { at, hint });
  });
}

export const defaultExceptionDays = 90;

export function tooLongExceptions({ holds, limits }: Configuration, now: number): Diagnostic[] {
  const { exceptionDays = defaultExceptionDays } = limits;
  return (holds?.exceptions ?? []).flatMap(
    ({ address, field, until, location, root, days = exceptionDays }) => {
      if (until.time - now <= days * day) return [];
      // A date ends a day after it begins.
      const latest = printTime(now + (days - 1) * day).slice(0, 10);
      return problem(
        'bad-value',
        `the exception for ${field} of ${address} lasts until ${until.written}, and limits.exception-days allows ${counted(days, 'day')}`,
        {
          at: { root, location },
          hint: `write ${latest} or an earlier date, or raise limits.exception-days`,
        },
      );
    },
  );
}
