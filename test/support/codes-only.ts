/**
 * Printed diagnostics without message and hint, for a test that does not own their text: those of the given codes, or
 * of all.
 */
export function codesOnly(printed: string, ...codes: readonly string[]): string {
  const code = codes.length === 0 ? '[a-z-]+' : codes.join('|');
  const heading = new RegExp(String.raw`((?:error|warning|note)\[(?:${code})\]): .*`);
  // A diagnostic ends where the next line without indentation begins.
  return printed
    .split(/\n(?! )/)
    .map((entry) =>
      heading.test(entry) ? entry.replace(heading, '$1').replace(/\n {2}hint: .*/, '') : entry,
    )
    .join('\n');
}
