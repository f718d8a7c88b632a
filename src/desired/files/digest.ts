import { createHash } from 'node:crypto';

/** The SHA-256 of texts: each is hashed on its own, so that text which moves from one to the next changes the digest. */
export function digestOf(texts: readonly string[]): string {
  const all = createHash('sha256');
  for (const text of texts) all.update(createHash('sha256').update(text).digest());
  return all.digest('hex');
}
