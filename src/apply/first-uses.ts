/**
 * A tag that is new to the organization is made by its first use, and of two first uses at a time the service may
 * refuse one. Within a run, whoever wants a tag that nobody has used yet goes alone; the others wait for the outcome.
 */
export interface FirstUses {
  /** Sends what uses these tags, once no first use of any of them is under way. */
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
        // Nothing is held while waiting, so two that want each other's tags never wait for each other.
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
        // After a failure the next one that waits is the first.
        for (const tag of first) underWay.delete(tag);
      }
    },
  };
}
