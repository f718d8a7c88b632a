/**
 * No service hands out tokens shorter than this; what people type where any token will do ("x", "test") is no secret,
 * and masking it would tear names and ids apart.
 */
const shortestSecret = 6;

/** The text with the token struck out, wherever it came from: a service may echo it. */
export function maskToken(text: string, token: string | undefined): string {
  if (token === undefined || token.length < shortestSecret) return text;
  // Inside JSON a quote or a backslash of it has another spelling.
  const spellings = new Set([token, JSON.stringify(token).slice(1, -1)]);
  return [...spellings].reduce(
    (masked, spelling) => (masked.includes(spelling) ? masked.replaceAll(spelling, '***') : masked),
    text,
  );
}
