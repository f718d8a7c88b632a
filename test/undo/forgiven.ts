import type { LiveState } from './live-state.ts';

/** Leaves out what the run reported as not restored. */
export function forgiven(state: LiveState, reported: string): LiveState {
  const anew = [...reported.matchAll(/workspace\.([\w-]+): it is created again empty/g)].map(
    (match) => match[1] ?? '',
  );
  const hidden = [...reported.matchAll(/(workspace\.[\w-]+): which consumers were stored/g)].map(
    (match) => match[1] ?? '',
  );
  const emptied = [...reported.matchAll(/project\.(\w+): it is created again with a new id/g)].map(
    ([, alias = '']) => `team-access.${alias}/`,
  );
  const isLost = (address: string) => emptied.some((lost) => address.toLowerCase().startsWith(lost));
  const left = Object.entries(state).filter(([address]) => !isLost(address));
  return Object.fromEntries(
    left.map(([address, values]) => {
      const { 'remote-state-consumers': consumers, ...others } = values;
      const kept = Array.isArray(consumers) ? consumers.filter((name) => !anew.includes(String(name))) : [];
      return [
        address,
        {
          ...others,
          ...(kept.length > 0 && !hidden.includes(address) && { 'remote-state-consumers': kept }),
        },
      ];
    }),
  );
}
