/** Reads `filter[names]` (any of these, in any case) and `q` (a part of it) into one test. */
export function nameFilter(query: URLSearchParams): (name: string) => boolean {
  const names = query
    .get('filter[names]')
    ?.toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const part = query.get('q')?.toLowerCase() ?? '';
  return (name) => {
    const lower = name.toLowerCase();
    return (!names || names.includes(lower)) && lower.includes(part);
  };
}
