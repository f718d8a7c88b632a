/**
 * Matches a whole name or address against a pattern in which only `*` is special: it matches any run of characters.
 * A glob library would give other characters a meaning, too.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === text;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  // Matching each middle part as early as possible never excludes a match, so no backtracking is needed.
  let from = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Matches a whole address against a pattern of `--only`: `*` is any run of characters, `?` is one character. */
export function matchesAddress(pattern: string, address: string): boolean {
  let at = 0;
  let from = 0;
  // The last `*`, and the first character after the run that it matches.
  let star = -1;
  let resume = 0;
  while (at < address.length) {
    if (pattern[from] === '*') {
      star = from++;
      resume = at;
    } else if (from < pattern.length && (pattern[from] === '?' || pattern[from] === address[at])) {
      from++;
      at++;
    } else if (star >= 0) {
      from = star + 1;
      at = ++resume;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(from));
}
