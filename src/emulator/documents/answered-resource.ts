import type { StoredRetention } from '../store/records.ts';

/** A JSON:API resource in a response. */
export interface AnsweredResource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
}

/** The names in a text. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export interface AnsweredIdentifier {
  readonly id: string;
  readonly type: string;
}

export const deleteOlder = 'data-retention-policy-delete-olders';
export const dontDelete = 'data-retention-policy-dont-deletes';

export function retentionType({ days }: StoredRetention): string {
  return days === null ? dontDelete : deleteOlder;
}

/** A relationship to one resource, or to none. */
export function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } };
}
