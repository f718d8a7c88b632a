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

/**
 * The text of an answer with the token struck out, however its JSON spells it: any character of a text may stand there as
 * `\u` and four digits, and would be itself again once it is read.
 */
export function maskInAnswer(text: string, token: string | undefined): string {
  const masked = maskToken(text, token);
  const isPlain = !masked.includes('\\u') && !masked.includes('\\/');
  if (isPlain || token === undefined || token.length < shortestSecret) return masked;
  const spellings = [...token].map(spellingsOf).join('');
  // A backslash that is escaped itself begins no escape.
  return masked.replaceAll(new RegExp(`(?<=(?<!\\\\)(?:\\\\\\\\)*)${spellings}`, 'g'), '***');
}

/** Of one character in JSON, as a pattern. */
function spellingsOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const digits = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const itself = character.replaceAll(/[^A-Za-z0-9]/g, '\\$&');
  return `(?:\\\\u${digits}|${/["/\\]/.test(character) ? '\\\\?' : ''}${itself})`;
}
