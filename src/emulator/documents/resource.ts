/** A JSON:API resource in a response. */
export interface AnsweredResource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
}

export interface AnsweredIdentifier {
  readonly id: string;
  readonly type: string;
}

/** A relationship to one resource, or to none. */
export function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } };
}
