/** What a route answers: a status and, but for 204, the text of a JSON document. */
export interface Answer {
  readonly status: number;
  readonly body?: string;
  /** @default the JSON:API media type */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const noContent: Answer = { status: 204 };

export function json(status: number, document: unknown): Answer {
  return { status, body: JSON.stringify(document) };
}
