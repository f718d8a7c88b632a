import type { WriteRequest } from '../../model/plan.ts';
import { isRecord } from '../../model/value.ts';

/** The resource that a request sends. */
export function dataOf({ body }: WriteRequest): Readonly<Record<string, unknown>> {
  return isRecord(body) && isRecord(body.data) ? body.data : {};
}

/** The attributes of the resource that a request sends. */
export function attributesOf(request: WriteRequest): Readonly<Record<string, unknown>> {
  const { attributes } = dataOf(request);
  return isRecord(attributes) ? attributes : {};
}

/** The list that a request sends. */
export function itemsOf({ body }: WriteRequest): readonly Readonly<Record<string, unknown>>[] {
  const data = isRecord(body) && Array.isArray(body.data) ? body.data : [];
  return data.filter((item) => isRecord(item));
}
