import { createHash } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 16;

/**
 * An id in the service's form that depends on nothing but what it is for: a prefix, a name, and how many ids that name
 * has had before. Examples print the same every time, in whatever order parallel creates arrive.
 */
export function identifier(prefix: string, name: string, generation: number): string {
  const digest = createHash('sha256').update(`${prefix} ${generation} ${name}`).digest();
  let text = '';
  for (const byte of digest.subarray(0, length)) text += alphabet[byte % alphabet.length];
  return `${prefix}-${text}`;
}
