/** What a message reports, the most important first. */
export const messageEvents = ['failed', 'applied', 'attention', 'drift'] as const;
/** What a message reports: a failure, applied changes, something that needs attention, or a difference. */
export type MessageEvent = (typeof messageEvents)[number];

/** The kinds of receivers. */
export const receiverKinds = ['slack', 'webhook'] as const;
/** What takes messages: an incoming webhook of Slack or of a compatible service, or any HTTP endpoint. */
export type ReceiverKind = (typeof receiverKinds)[number];

/** An entry of `notify`. */
export interface Receiver {
  readonly to: ReceiverKind;
  /** The environment variable with the address, which is a secret. */
  readonly urlEnv: string;
  /** The environment variable with the key of the signature; only for a webhook. */
  readonly secretEnv?: string;
  /** What it gets messages about. */
  readonly on: readonly MessageEvent[];
}
