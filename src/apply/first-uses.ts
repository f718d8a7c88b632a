/**
 * A tag that is new to the organization is created by its first use, and the service may refuse one of two simultaneous
 * first uses. Within a run, the first call that uses a new tag is sent alone; the others wait for its outcome.
 */
export interface FirstUses {
  /** Runs `send`, which uses these tags, once no first use of any of them is in flight. */
  use<Result>(tags: readonly string[], send: () => Promise<Result>): Promise<Result>;
}

export function createFirstUses(): FirstUses {
  const known = new Set<string>();
  const underWay = new Map<string, Promise<unknown>>();
  return {
    async use(tags, send) {
      for (;;) {
        const others = tags.flatMap((tag) => underWay.get(tag) ?? []);
        if (others.length === 0) break;
        // Nothing is locked while waiting, so two calls that need each other's tags cannot deadlock.
        await Promise.allSettled(others);
      }
      const first = tags.filter((tag) => !known.has(tag));
      const sending = send();
      for (const tag of first) underWay.set(tag, sending);
      try {
        const result = await sending;
        for (const tag of tags) known.add(tag);
        return result;
      } finally {
        // After a failure the next waiting call becomes the first use.
        for (const tag of first) underWay.delete(tag);
      }
    },
  };
}
