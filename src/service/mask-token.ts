/**
 * Shorter texts are not masked: services issue no tokens this short, and masking a placeholder such as `x` or `test`
 * would damage names and ids.
 */
const shortestSecret = 6;

/** Masks the token in a text, because a service can echo it. */
export function maskToken(text: string, token: string | undefined): string {
  if (token === undefined || token.length < shortestSecret) return text;
  // JSON escapes quotes and backslashes of the token.
  const spellings = new Set([token, JSON.stringify(token).slice(1, -1)]);
  return [...spellings].reduce(
    (masked, spelling) => (masked.includes(spelling) ? masked.replaceAll(spelling, '***') : masked),
    text,
  );
}

/**
 * Masks the token in a JSON text in every spelling: each character can also be escaped as `\u` and four digits.
 */
export function maskInAnswer(text: string, token: string | undefined): string {
  const masked = maskToken(text, token);
  const isPlain = !masked.includes('\\u') && !masked.includes('\\/');
  if (isPlain || token === undefined || token.length < shortestSecret) return masked;
  const spellings = [...token].map(spellingsOf).join('');
  // An escaped backslash does not begin an escape.
  return masked.replaceAll(new RegExp(`(?<=(?<!\\\\)(?:\\\\\\\\)*)${spellings}`, 'g'), '***');
}

/** A pattern for each spelling of one character in JSON. */
function spellingsOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const digits = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const itself = character.replaceAll(/[^A-Za-z0-9]/g, '\\$&');
  return `(?:\\\\u${digits}|${/["/\\]/.test(character) ? '\\\\?' : ''}${itself})`;
}
