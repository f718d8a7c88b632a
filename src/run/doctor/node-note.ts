/** Even versions get fixes for three years; these are the oldest that still do. */
const oldestSupported = 22;
const recommended = 24;

/**
 * A note if a version of Node no longer gets security fixes. Attune works with it.
 *
 * @param version such as `20.19.0`
 */
export function nodeNote(version: string): string | undefined {
  const major = Number(version.split('.')[0]);
  // An odd version ends when the next one comes.
  const isSupported = major >= oldestSupported && (major % 2 === 0 || major > recommended);
  return isSupported
    ? undefined
    : `note: Node ${version} no longer gets security fixes; use Node ${recommended}`;
}
