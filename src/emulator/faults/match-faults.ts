import { matchesWildcard } from '../../model/wildcard.ts';
import type { Fault } from './fault.ts';

/** The faults of a service, with how often each has been met. */
export interface FaultPlan {
  /** The fault that hits this request, if any. `path` is decoded and has the query. */
  hit(method: string, path: string): Fault | undefined;
  set(faults: readonly Fault[]): void;
  list(): readonly (Fault & { readonly matched: number })[];
}

export function createFaultPlan(initial: readonly Fault[]): FaultPlan {
  let entries = initial.map((fault) => ({ fault, matched: 0 }));
  return {
    hit(method, path) {
      let found: Fault | undefined;
      for (const entry of entries) {
        if (!matches(entry.fault, method, path)) continue;
        entry.matched++;
        if (!found && isDue(entry.fault, entry.matched)) found = entry.fault;
      }
      return found;
    },
    set(faults) {
      entries = faults.map((fault) => ({ fault, matched: 0 }));
    },
    list: () => entries.map(({ fault, matched }) => ({ ...fault, matched })),
  };
}

function matches({ method, path }: Fault, asked: string, target: string): boolean {
  if (method !== undefined && method.toUpperCase() !== asked) return false;
  if (path === undefined) return true;
  return matchesWildcard(path, path.includes('?') ? target : (target.split('?')[0] ?? ''));
}

/** Counted from 1 over the requests that match. */
function isDue({ nth, times }: Fault, matched: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return matched >= first && matched < first + count;
}
