import { isUnder } from '../model/attributes.ts';
import { groupBy } from '../model/value.ts';
import { endedGrants } from './at-time.ts';
import { exceptionHolds } from './exceptions.ts';
import type { Filtered, FilterInput, Keep } from './keep-live.ts';

/** For `--due`: all but the access that has ended, and the fields whose exception has ended. */
export function notDue(input: FilterInput): Filtered {
  const { configuration, found, now } = input;
  const { desired, holds } = configuration;
  const access = new Set(endedGrants(configuration, now).map(({ address }) => address));
  const ended = (holds?.exceptions ?? []).filter(({ until }) => now >= until.time);
  // What each of them held until it ended.
  const held = exceptionHolds(ended, { ...input, now: Number.NEGATIVE_INFINITY }).keeps;
  const heldOf = groupBy(held, ({ address }) => address);
  const changes = new Map(found.changes.map((change) => [change.address, change]));
  const addresses = new Set([...desired.resources.keys(), ...changes.keys()]);
  const keeps = [...addresses].flatMap((address): Keep[] => {
    const change = changes.get(address);
    if (change?.action === 'delete' && access.has(address)) return [];
    const paths = (heldOf.get(address) ?? []).flatMap(({ fields = [] }) => [...fields]);
    const isDue = (path: string) => paths.some((one) => isUnder(path, one));
    if (!change?.fields.some(({ path }) => isDue(path))) return [{ address }];
    const attributes = Object.keys(desired.resources.get(address)?.attributes ?? {});
    const differing = change.fields.map(({ path }) => path);
    return [{ address, fields: [...attributes, ...differing, 'name'].filter((path) => !isDue(path)) }];
  });
  return { keeps };
}
