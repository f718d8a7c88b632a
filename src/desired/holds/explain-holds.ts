import { isUnder } from '../../model/attributes.ts';
import type { Configuration } from '../../model/configuration.ts';
import { type DeclaredMatch, inProject, matchesDeclared } from '../../model/declared-selector.ts';
import type { SourceLocation } from '../../model/diagnostic.ts';
import { type FreezeWindow, type Hold, noHoldRules } from '../../model/rules.ts';
import { matchesAddress, type Selector } from '../../model/selector.ts';
import { type Resource, resourcesOf } from '../../model/state.ts';
import { printTime, type Value } from '../../model/value.ts';

interface ExplainedHold extends Hold {
  readonly state: 'held' | 'later' | 'ended' | 'live';
  readonly from?: string | undefined;
  /** The only live value that an exception knows. */
  readonly value?: Value;
  readonly location: SourceLocation;
}

export interface HoldExplanation {
  readonly holds: readonly ExplainedHold[];
  readonly ends?:
    | { until: string; reason: string | undefined; ended: boolean; location: SourceLocation | undefined }
    | undefined;
}

/** The holds of a declared address at a time, in milliseconds since 1970, as far as they have an effect on a field. */
export function holdsOf(
  configuration: Configuration,
  address: string,
  { now, field }: { readonly now: number; readonly field: string | undefined },
): HoldExplanation {
  const resource = configuration.desired.resources.get(address);
  if (resource === undefined) return { holds: [] };
  const { exceptions, freeze } = configuration.holds ?? noHoldRules;
  const isAsked = ({ fields = [] }: Hold) =>
    field === undefined ||
    fields.length === 0 ||
    fields.some((path) => isUnder(path, field) || isUnder(field, path));
  const known = exceptions
    .filter((exception) => matchesAddress(exception.address, address))
    .map(
      ({ address: _pattern, field: path, until, ...exception }): ExplainedHold => ({
        by: 'exception',
        state: now < until.time ? 'held' : 'ended',
        ...exception,
        until: until.written,
        fields: [path],
      }),
    );
  const frozen = freeze.flatMap((window) => windowOf(window, resource, { configuration, now }) ?? []);
  const { until, reason, locations } = resource.declared ?? {};
  const ended = until !== undefined && until.time <= now;
  const ends = until && { until: until.written, reason, ended, location: locations?.until };
  return { holds: [...known, ...frozen].filter(isAsked), ends };
}

function windowOf(
  { select, periodAt, reason, location }: FreezeWindow,
  resource: Resource,
  { configuration, now }: { readonly configuration: Configuration; readonly now: number },
): ExplainedHold | undefined {
  const match = select ? selects(select, resource, configuration) : 'yes';
  const period = periodAt(now);
  if (match === 'no' || period === undefined) return undefined;
  const isLater = period.start > now;
  return {
    by: 'freeze',
    reason,
    state: match === 'live' ? 'live' : isLater ? 'later' : 'held',
    from: isLater ? printTime(period.start) : undefined,
    until: printTime(period.end),
    location,
  };
}

/** As a plan decides for changes: only a selector by projects alone is also about the projects and their team access. */
function selects(selector: Selector, resource: Resource, { desired }: Configuration): DeclaredMatch {
  if (resource.kind === 'workspace') {
    const projects = resourcesOf(desired.resources.values(), 'project');
    const names = [resource.name, resource.declared?.renamedFrom ?? resource.name];
    const found = names.map((name) =>
      matchesDeclared(selector, { ...resource, name }, { projects, foldsCase: true }),
    );
    return (['yes', 'live'] as const).find((match) => found.includes(match)) ?? 'no';
  }
  const { project, ...others } = selector;
  if (Object.keys(others).length > 0 || project === undefined) return 'no';
  const id = resource.kind === 'project' ? resource.id : resource.attributes.project;
  return inProject([project].flat(), id);
}
