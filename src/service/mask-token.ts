/**
 * Shorter texts are not masked: services issue no tokens this short, and masking a placeholder such as `x` or `test`
 * would damage names and ids.
 */
const shortestSecret = 6;

export function isMaskable(secret: string): boolean {
  return secret.length >= shortestSecret;
}

/** Masks the token in a text, because a service can echo it: as it is, in JSON, percent-encoded, and in base64. */
export function maskToken(text: string, token: string | undefined): string {
  if (token === undefined || !isMaskable(token)) return text;
  const masked = spellingsOfToken(token).reduce(
    (before, spelling) => (before.includes(spelling) ? before.replaceAll(spelling, '***') : before),
    text,
  );
  return masked.includes('%') ? masked.replaceAll(percentEncoded(token), '***') : masked;
}

let lastSpellings: { readonly token: string; readonly spellings: readonly string[] } | undefined;

/** A run masks many texts and has few tokens. */
function spellingsOfToken(token: string): readonly string[] {
  if (lastSpellings?.token !== token) {
    // JSON escapes quotes and backslashes of the token.
    const plain = [token, JSON.stringify(token).slice(1, -1)];
    lastSpellings = { token, spellings: [...new Set([...plain, ...inBase64(token)])] };
  }
  return lastSpellings.spellings;
}

/**
 * The token in base64 and base64url, after a prefix of any length, such as a user name. Characters that also depend on what
 * is around the token are left out: they show less than one byte of it.
 */
function inBase64(token: string): string[] {
  const bytes = Buffer.from(token);
  return [0, 1, 2].flatMap((before) => {
    const bits = 8 * (before + bytes.length);
    const from = Math.ceil((8 * before) / 6);
    const encoded = (encoding: 'base64' | 'base64url') =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString(encoding)
        .slice(from, Math.floor(bits / 6));
    return [encoded('base64'), encoded('base64url')].filter(isMaskable);
  });
}

function percentEncoded(token: string): RegExp {
  const characters = [...Buffer.from(token)].map((byte) => {
    const digits = byte
      .toString(16)
      .padStart(2, '0')
      .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return `(?:%${digits}|${String.fromCharCode(byte).replaceAll(/[^A-Za-z0-9]/g, '\\$&')})`;
  });
  return new RegExp(characters.join(''), 'g');
}

export function maskInAnswer(text: string, token: string | undefined): string {
  const masked = maskToken(text, token);
  const isPlain = !masked.includes('\\u') && !masked.includes('\\/');
  if (isPlain || token === undefined || !isMaskable(token)) return masked;
  const spelled = new RegExp([...token].map(spellingsOf).join(''), 'g');
  let [shown, from] = ['', 0];
  for (let found = spelled.exec(masked); found !== null; found = spelled.exec(masked)) {
    if (isEscaped(masked, found.index)) spelled.lastIndex = found.index + 1;
    else {
      shown += `${masked.slice(from, found.index)}***`;
      from = spelled.lastIndex;
    }
  }
  return shown + masked.slice(from);
}

/** An escaped backslash does not begin an escape. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') first -= 1;
  return (index - first) % 2 === 1;
}

function spellingsOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const digits = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const itself = character.replaceAll(/[^A-Za-z0-9]/g, '\\$&');
  const backslash = character === '/' ? '\\\\?' : /["\\]/.test(character) ? '\\\\' : '';
  return `(?:\\\\u${digits}|${backslash}${itself})`;
}
