/**
 * No service hands out tokens shorter than this; what people type where any token will do ("x", "test") is no secret,
 * and masking it would tear names and ids apart.
 */
const shortestSecret = 6;

/** The text with the token struck out, wherever it came from: a service may echo it. */
export function maskToken(text: string, token: string | undefined): string {
  if (token === undefined || token.length < shortestSecret || !text.includes(token)) return text;
  return text.replaceAll(token, '***');
}
