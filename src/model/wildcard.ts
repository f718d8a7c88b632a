/**
 * Matches a whole name or address against a pattern in which `*` stands for any run of characters, and nothing else is
 * special. Names hold no other wildcard characters, so a file-glob library would only add surprises.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === text;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  // The leftmost place for each middle part leaves the most room for the rest: no backtracking, linear time.
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
  // The last `*`, and the first character behind the run that it stands for.
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
