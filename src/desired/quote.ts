const longest = 80;

/** A value from a file for a message: in quotes, without line breaks, and not longer than helps. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}..."` : text;
}
