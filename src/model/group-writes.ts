/** Writes texts in groups: those that arrive while a write is running share the next one. */
export interface GroupWriter {
  /**
   * Resolves when the text is written.
   *
   * @throws the error of the write of its group. Later groups are still written.
   */
  append(text: string): Promise<void>;
  /** Resolves when each appended text is written or has failed. */
  idle(): Promise<void>;
}

/** @param write is called with the texts of one group at a time. */
export function groupWrites(write: (texts: string) => Promise<void>): GroupWriter {
  let waiting = '';
  let next: Promise<void> | undefined;
  let last = Promise.resolve();
  const writeWaiting = () => {
    const texts = waiting;
    waiting = '';
    next = undefined;
    return write(texts);
  };
  return {
    append(text) {
      waiting += text;
      if (next === undefined) {
        next = last.then(writeWaiting, writeWaiting);
        last = next;
      }
      return next;
    },
    idle: () => last.catch(() => undefined),
  };
}
