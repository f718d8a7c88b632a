/** What a client tells while it works: for progress, `--verbose`, and counting. */
export type ServiceEvent =
  /** A request is wanted; it may wait for its turn. */
  | { readonly type: 'queued' | 'settled' }
  /** One attempt has ended; without a status no answer came. */
  | {
      readonly type: 'attempt';
      readonly method: string;
      readonly path: string;
      readonly status: number | undefined;
      readonly milliseconds: number;
    }
  | { readonly type: 'retry'; readonly method: string; readonly path: string; readonly wait: number }
  | { readonly type: 'throttled'; readonly wait: number };
