import { join } from 'node:path';
import { AttuneError } from '../model/diagnostic.ts';
import { readRegularFile } from '../model/files.ts';
import { isRecord, jsonIn } from '../model/value.ts';

interface CredentialSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string | undefined;
  readonly platform?: NodeJS.Platform;
}

/**
 * Finds the token for an organization on a host, and the variable or file that holds it: `ATTUNE_TOKEN_<ORGANIZATION>`,
 * `ATTUNE_TOKEN`, `TFE_TOKEN`, `TF_TOKEN_<host>`, then Terraform's credentials file.
 *
 * @throws {AttuneError} if there is none, or the credentials file cannot be used.
 */
export async function locateToken(
  host: string,
  organization: string,
  sources: CredentialSources,
): Promise<{ readonly token: string; readonly source: string }> {
  const named = hostVariables(host);
  const variables = [organizationVariable(organization), 'ATTUNE_TOKEN', 'TFE_TOKEN', ...named];
  for (const variable of variables) {
    const value = sources.env[variable]?.trim();
    if (value) return { token: checked(value, variable), source: variable };
  }
  const folder = terraformFolder(sources);
  if (folder !== undefined) {
    const file = join(folder, 'credentials.tfrc.json');
    const stored = await storedToken(file, host);
    if (stored) return { token: checked(stored, file), source: file };
  }
  const isByOrganization = Object.keys(sources.env).some((name) => name.startsWith('ATTUNE_TOKEN_'));
  const usual = isByOrganization ? organizationVariable(organization) : 'ATTUNE_TOKEN';
  throw new AttuneError(`cannot connect to ${host}: no token is set`, {
    code: 'no-token',
    hint: `set ${usual} (or TFE_TOKEN, or ${named[0]}), or run \`terraform login ${host}\``,
  });
}

function terraformFolder({ env, home, platform = process.platform }: CredentialSources): string | undefined {
  if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'terraform.d');
  return home === undefined ? undefined : join(home, '.terraform.d');
}

export function isTokenVariable(variable: string): boolean {
  return /^(ATTUNE_|TFE_|TF_)(.*_)?TOKEN(_|$)/i.test(variable);
}

/**
 * The environment for a program that needs no secrets: without each variable that has the name of one, or contains a token
 * of the service, also percent-encoded or in base64.
 */
export function withoutSecrets(env: CredentialSources['env']): Record<string, string | undefined> {
  const entries = Object.entries(env);
  const tokens = entries.flatMap(([variable, value = '']) =>
    isTokenVariable(variable) && isMaskable(value.trim()) ? [value.trim()] : [],
  );
  return Object.fromEntries(
    entries.filter(
      ([variable, value = '']) =>
        !/TOKEN|SECRET|PASSWORD|KEY/i.test(variable) &&
        tokens.every((token) => maskToken(value, token) === value),
    ),
  );
}

function organizationVariable(organization: string): string {
  return `ATTUNE_TOKEN_${organization.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** Terraform's spellings: dots become `_`; a hyphen stays, which few shells can export, or becomes `__`. */
function hostVariables(host: string): string[] {
  const name = host.replace(/:\d+$/, '').replaceAll('.', '_');
  return [...new Set([`TF_TOKEN_${name.replaceAll('-', '__')}`, `TF_TOKEN_${name}`])];
}

async function storedToken(file: string, host: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readRegularFile(file);
  } catch (error) {
    if (isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw new AttuneError(`cannot read ${file}`, { code: 'bad-credentials', cause: error });
  }
  const document = jsonIn(text);
  if (document === undefined)
    throw new AttuneError(`cannot read ${file}: it is not JSON`, {
      code: 'bad-credentials',
      hint: 'fix the file, or set ATTUNE_TOKEN',
    });
  const credentials = isRecord(document) ? document.credentials : undefined;
  if (!isRecord(credentials)) return undefined;
  const entry = Object.hasOwn(credentials, host) ? credentials[host] : credentials[host.replace(/:\d+$/, '')];
  return isRecord(entry) && typeof entry.token === 'string' ? entry.token.trim() : undefined;
}

/** A token is sent in a header. The error for a character that a header cannot hold does not show the token. */
function checked(token: string, source: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new AttuneError(`invalid token in ${source}: it contains characters that cannot be sent`, {
      code: 'bad-credentials',
      hint: 'copy the token again without spaces or line breaks',
    });
  }
  return token;
}

/**
 * Shorter texts are not masked: services issue no tokens this short, and masking a placeholder such as `x` or `test`
 * would damage names and ids.
 */
const shortestSecret = 6;

function isMaskable(secret: string): boolean {
  return secret.length >= shortestSecret;
}

/** Masks the token in a text, because a service can echo it: as it is, in JSON, percent-encoded, and in base64. */
export function maskToken(text: string, token: string | undefined): string {
  if (token === undefined || !isMaskable(token)) return text;
  // JSON escapes quotes and backslashes of the token.
  const spellings = [token, JSON.stringify(token).slice(1, -1), ...inBase64(token)];
  const masked = spellings.reduce((before, spelling) => before.replaceAll(spelling, '***'), text);
  return masked.includes('%') ? masked.replaceAll(percentEncoded(token), '***') : masked;
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

/** JSON can spell each character of the token as an escape. */
export function maskInAnswer(text: string, token: string | undefined): string {
  const masked = maskToken(text, token);
  const isPlain = !masked.includes('\\u') && !masked.includes('\\/');
  if (isPlain || token === undefined) return masked;
  const decoded = masked.replaceAll(
    /\\(?:u([0-9a-f]{4})|(["\\/]))/gi,
    (_, code: string | undefined, character) =>
      character ?? String.fromCharCode(Number.parseInt(`${code}`, 16)),
  );
  const shown = maskToken(decoded, token);
  if (shown === decoded) return masked;
  const document = jsonIn(masked);
  return document === undefined ? shown : maskToken(JSON.stringify(document), token);
}
