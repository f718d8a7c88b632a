import { attributePaths, projectPaths, workspaceRelations } from '../../model/attributes.ts';
import { showPlace } from '../../model/diagnostic.ts';
import { permissionPaths } from '../../model/permissions.ts';
import type { Exception, HoldRules } from '../../model/rules.ts';
import { matchesAddress } from '../../model/selector.ts';
import { type ResourceKind, resourceKinds } from '../../model/state.ts';
import { quote, suggestion } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import { locateStart, locateValue } from '../files/source.ts';
import type { Loading } from '../problems.ts';
import { readMoment } from '../rules/field-rules.ts';
import type { RawException, RawFile } from '../schema/language.ts';
import { readWindow, type WindowContext } from './freeze-windows.ts';

/** What reading the rules depends on. */
export interface HoldRulesContext extends WindowContext {
  /** The declared addresses. */
  readonly addresses: readonly string[];
}

/** The rules that hold changes back. Those with errors are left out. */
export function readHoldRules(
  { exceptions = [], freeze = [] }: Pick<RawFile, 'exceptions' | 'freeze'>,
  context: HoldRulesContext,
): HoldRules {
  const read = {
    exceptions: exceptions.flatMap((raw) => readException(raw, context) ?? []),
    freeze: freeze.flatMap((raw) => readWindow(raw, context) ?? []),
  };
  checkOverlaps(read.exceptions, context);
  return read;
}

/** An exception; undefined if it has errors, which are reported. */
function readException(raw: RawException, { loading }: HoldRulesContext): Exception | undefined {
  const { address, field, reason } = raw;
  const until = readMoment(raw, 'until', loading);
  const isKnown =
    address === undefined || field === undefined || checkHeldField(address, field, raw, loading);
  if (address === undefined || field === undefined || until === undefined || reason === undefined || !isKnown)
    return undefined;
  const isValued = Object.hasOwn(raw, 'value');
  return {
    address,
    field,
    ...(isValued && { value: raw.value ?? null }),
    until,
    reason,
    location: locateStart(loading.origins, raw),
  };
}

const fieldsOfKind: Readonly<Record<ResourceKind, readonly string[]>> = {
  project: [...projectPaths, 'tag-bindings'],
  workspace: ['name', ...attributePaths, ...workspaceRelations, 'vcs-repo'],
  'team-access': ['access', ...permissionPaths],
};

/** Whether one of the resources that the address can match has the field. */
function checkHeldField(
  address: string,
  field: string,
  raw: RawException,
  { problems, origins }: Loading,
): boolean {
  const [prefix = ''] = address.split('.');
  const kinds = resourceKinds.filter((kind) => matchesAddress(prefix, kind) || address.startsWith('*'));
  if (kinds.length === 0) {
    problems.error('bad-value', `"address" cannot be ${quote(address)}: it matches no kind of resource`, {
      at: locateValue(origins, raw, 'address'),
      hint: 'write workspace.<name>, project.<alias> or team-access.<project>/<team>; * is any run of characters',
    });
    return false;
  }
  const known = kinds.flatMap((kind) => fieldsOfKind[kind]);
  if (known.includes(field)) return true;
  problems.error('bad-value', `"field" cannot be ${quote(field)}: ${quote(address)} has no such field`, {
    at: locateValue(origins, raw, 'field'),
    hint: () => suggestion(field, known) ?? 'write the field as plans show it: auto-apply, vcs-repo.branch',
  });
  return false;
}

/** Two exceptions for one field of one resource contradict each other. */
function checkOverlaps(exceptions: readonly Exception[], { addresses, loading }: HoldRulesContext): void {
  const report = ({ field, location }: Exception, shared: string, other: Exception) =>
    loading.problems.error(
      'duplicate-name',
      `two exceptions for ${field} of ${shared}, also at ${showPlace(other.location)}`,
      { at: location },
    );
  for (const [, rules] of groupBy(exceptions, ({ field }) => field)) {
    const firsts = new Map<string, Exception>();
    const reported = new Set<Exception>();
    for (const rule of rules) {
      const matched =
        /[*?]/.test(rule.address) && rules.length > 1
          ? addresses.filter((address) => matchesAddress(rule.address, address))
          : [];
      const about = [rule.address, ...matched];
      const shared = about.find((address) => firsts.has(address));
      const first = shared === undefined ? undefined : firsts.get(shared);
      if (shared !== undefined && first !== undefined) {
        if (!reported.has(first)) report(first, shared, rule);
        report(rule, shared, first);
        reported.add(first).add(rule);
      }
      for (const address of about) if (!firsts.has(address)) firsts.set(address, rule);
    }
  }
}
