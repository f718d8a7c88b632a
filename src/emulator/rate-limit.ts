export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next window. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** Counts requests per caller in windows of one second, as the live service does; refused requests do not count. */
export function createRateLimit(limit: number, clock: () => number) {
  const windows = new Map<string, { readonly end: number; count: number }>();
  return (caller: string): RateState => {
    const now = clock();
    let window = windows.get(caller);
    if (!window || now >= window.end) {
      window = { end: now + 1000, count: 0 };
      windows.set(caller, window);
    }
    const exceeded = window.count >= limit;
    if (!exceeded) window.count++;
    return { limit, remaining: limit - window.count, reset: (window.end - now) / 1000, exceeded };
  };
}
export type RateLimit = ReturnType<typeof createRateLimit>;
