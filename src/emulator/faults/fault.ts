/** Ways for a request to go wrong, each as a client meets it. */
export const faultKinds = [
  'status',
  'latency',
  'cut-before',
  'cut-after',
  'half-body',
  'html',
  'hang',
  'new-tag-race',
] as const;
/** One of the ways for a request to go wrong. */
export type FaultKind = (typeof faultKinds)[number];

/** What shall go wrong, and with which requests. */
export interface Fault {
  /**
   * - `status`: answered with `status` before it takes effect;
   * - `latency`: answered `ms` later;
   * - `cut-before`, `cut-after`: the connection is cut, before or after the request took effect;
   * - `half-body`: it takes effect and half of the answer arrives;
   * - `html`: a proxy's page instead of JSON, with `status`;
   * - `hang`: it never gets an answer;
   * - `new-tag-race`: of two workspaces that use a new tag within `ms`, the second is refused.
   */
  readonly kind: FaultKind;
  /** @default any method */
  readonly method?: string;
  /** The decoded path without `/api/v2`, with `*` for any run of characters; with a `?` it is matched with the query. */
  readonly path?: string;
  /** The first matching request that it hits, counted from 1. @default 1 */
  readonly nth?: number;
  /** How many of them it hits. @default all from `nth` on; 1 where `nth` is given */
  readonly times?: number;
  /** @default 500 for `status`, 502 for `html`, 422 for `new-tag-race` */
  readonly status?: number;
  /** Seconds that a 429 or 503 asks to wait. */
  readonly reset?: number;
  /** The `detail` of the error. */
  readonly detail?: string;
  /** Milliseconds. @default 1000 for `latency`, 100 for `new-tag-race` */
  readonly ms?: number;
}
