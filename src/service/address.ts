import { join } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { isSameFile } from '../model/files.ts';

export const embedded = 'embedded';

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** @throws {AttuneError} if it is not an http(s) address, holds a password, is plain http to another machine, or is that of a page. */
export function parseAddress(address: string): URL {
  const { url, isPage, organization } = parsePageAddress(address);
  if (!isPage) return url;
  throw badAddress(
    ` "${address}": it is the address of a page in the browser`,
    `use ${printAddress(url)}${organization === undefined ? '' : `; the organization is ${organization}`}`,
  );
}

function badAddress(what: string, hint: string): AttuneError {
  return new AttuneError(`invalid service address${what}`, { code: 'bad-address', hint });
}

const commonPages = new Set(['account', 'admin', 'getting-started', 'new', 'organizations', 'settings']);

export function parsePageAddress(address: string): {
  readonly url: URL;
  readonly isPage: boolean;
  readonly organization?: string | undefined;
} {
  const url = parseUrl(address);
  const [page, part] = /^\/app(?:\/([^/]+)(?:\/.*)?)?\/?$/.exec(url.pathname) ?? [];
  if (page === undefined) return { url, isPage: false };
  const organization = part === undefined || commonPages.has(part) ? undefined : decoded(part);
  return { url: new URL('/', url), isPage: true, organization };
}

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseUrl(address: string): URL {
  if (!URL.canParse(address)) {
    throw badAddress(
      ` "${maskCredentials(address)}"`,
      'use an address with its scheme, such as https://iac.example.com, or the word `embedded`',
    );
  }
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw badAddress(`: unsupported scheme "${url.protocol}//"`, 'use https://');
  if (url.username !== '' || url.password !== '')
    throw badAddress(': it contains a user name or password', 'set ATTUNE_TOKEN to the token instead');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw badAddress(
      `: http to ${url.host} would send the token unencrypted`,
      `use https://${url.host}; http is allowed for loopback addresses only`,
    );
  }
  return normalized(url);
}

const userInfo = /^(?=.*@)((?:[a-z][a-z0-9+.-]*:)?\/*)(.*)@/is;

function maskCredentials(address: string): string {
  return address.replace(userInfo, '$1***@');
}

export function maskUrls(text: string): string {
  return text.replaceAll(/(?<=[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'@/]*@/gi, '***@');
}

export function credentialsIn(address: string): readonly string[] {
  const [, , user = ''] = userInfo.exec(address) ?? [];
  const secret = user.slice(user.indexOf(':') + 1);
  return [...new Set([secret, decoded(secret)])];
}

function normalized(url: URL): URL {
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v2$/, '');
  url.search = '';
  url.hash = '';
  return url;
}

function comparableAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = normalized(new URL(address));
  url.hostname = isLoopback(url.hostname) ? 'localhost' : url.hostname.replace(/\.$/, '');
  return url.href;
}

export function printAddress(url: URL): string {
  return url.href.replace(/\/$/, '');
}

export interface OrganizationIdentity {
  readonly organization: string;
  readonly address?: string | undefined;
  /** The file of {@link embeddedData}; absent for another service. */
  readonly data?: string | undefined;
}

type DeclaredService = Pick<Configuration, 'desired' | 'service' | 'folder'>;

/** Whether two are about one organization of one service, however they are written. What one of them lacks is the same. */
export function isSameOrganization(
  a: DeclaredService | OrganizationIdentity,
  b: DeclaredService | OrganizationIdentity,
): boolean {
  const [one, other] = [comparableIdentity(a), comparableIdentity(b)];
  if (one.organization !== other.organization) return false;
  // An address that is missing in a file is the same for all files of the run.
  const isSameAddress = !one.address || !other.address || one.address === other.address;
  return isSameAddress && (!one.data || !other.data || isSameFile(one.data, other.data));
}

export function organizationKey(one: DeclaredService | OrganizationIdentity): string {
  const { organization, address, data } = comparableIdentity(one);
  return JSON.stringify([organization, address, data]);
}

function comparableIdentity(one: DeclaredService | OrganizationIdentity): OrganizationIdentity {
  const { organization, address, data } = 'desired' in one ? identityOf(one) : one;
  return { organization: organization.toLowerCase(), address: address && comparableAddress(address), data };
}

function identityOf(configuration: DeclaredService): OrganizationIdentity {
  const { desired, service } = configuration;
  const { address } = service;
  const data = address === embedded ? embeddedData(configuration) : undefined;
  return { organization: desired.organization, address, data };
}

export function embeddedData({ service, folder }: Pick<Configuration, 'service' | 'folder'>): string {
  return service.data ?? join(folder, '.attune', 'embedded.json');
}
