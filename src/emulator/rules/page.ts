import { type ErrorObject, refuseInvalid } from '../http/rejection.ts';

export interface Page {
  readonly number: number;
  readonly size: number;
}

export const defaultPageSize = 20;
export const largestPageSize = 100;

/** Reads `page[number]` and `page[size]`. A size outside 1 to 100 is refused, never clamped. */
export function readPage(query: URLSearchParams): Page {
  const number = readCount(query, 'page[number]', 1);
  const size = readCount(query, 'page[size]', defaultPageSize);
  const errors: ErrorObject[] = [];
  if (!(number >= 1)) errors.push(wrongParameter('page[number] must be a positive number'));
  if (!(size >= 1 && size <= largestPageSize)) {
    errors.push(wrongParameter(`page[size] must be between 1 and ${largestPageSize}`));
  }
  refuseInvalid(errors);
  return { number, size };
}

function readCount(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name);
  if (text === null || text === '') return byDefault;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function wrongParameter(detail: string): ErrorObject {
  return { status: '422', title: 'invalid attribute', detail };
}
