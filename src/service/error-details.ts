import { isRecord } from '../model/value.ts';
import type { ServiceErrorDetail } from './service-error.ts';

const longest = 500;

/**
 * Takes what a failed answer tells about itself: JSON:API error objects, a list of plain texts, or nothing that can
 * be used (an HTML page of a proxy). Never throws.
 */
export function errorDetails(document: unknown): ServiceErrorDetail[] {
  if (!isRecord(document) || !Array.isArray(document.errors)) return [];
  return document.errors.slice(0, 20).flatMap((entry: unknown): ServiceErrorDetail[] => {
    if (typeof entry === 'string') return [{ detail: entry.slice(0, longest) }];
    if (!isRecord(entry)) return [];
    const pointer = isRecord(entry.source) ? text(entry.source.pointer) : undefined;
    const title = text(entry.title);
    const detail = text(entry.detail);
    return [{ ...(title && { title }), ...(detail && { detail }), ...(pointer && { pointer }) }];
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined;
}
