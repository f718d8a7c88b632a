/**
 * Whether a text matches the parts of a pattern: `*` is any run of characters, every other part is one character. After a
 * mismatch only the last `*` takes one character more: an earlier one need not, because the leftmost match leaves the most
 * text. So the time is at most the product of the two lengths. A glob library would give other characters a meaning, too.
 */
export function matchesParts<Part>(
  parts: ArrayLike<Part | '*'>,
  text: ArrayLike<string>,
  matches: (part: Part, character: string) => boolean,
): boolean {
  let [part, at] = [0, 0];
  let retry: { readonly part: number; at: number } | undefined;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === '*') retry = { part: ++part, at };
    else if (wanted !== undefined && matches(wanted as Part, text[at] ?? '')) {
      part++;
      at++;
    } else if (retry) {
      part = retry.part;
      at = ++retry.at;
    } else return false;
  }
  while (parts[part] === '*') part++;
  return part === parts.length;
}

/** Matches a whole name against a pattern in which only `*` is special: it is any run of characters. */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchesParts<string>(pattern, text, (part, character) => part === character);
}

/**
 * Matches a whole address, or the name in a selector, against a pattern of `--only`: `*` is any run of characters, `?` is one
 * character. Files are refused if a pattern of names in them has `?`.
 */
export function matchesAddress(pattern: string, address: string): boolean {
  return matchesParts<string>(pattern, address, (part, character) => part === '?' || part === character);
}
