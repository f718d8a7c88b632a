import { join } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { isSameFile } from '../model/files.ts';
import { attempt } from '../model/value.ts';

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

function decoded(part: string): string {
  return attempt(() => decodeURIComponent(part)) ?? part;
}

function parseUrl(address: string): URL {
  if (!URL.canParse(address)) {
    throw badAddress(
      ` "${address.replace(userInfo, '$1***@')}"`,
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

export interface HttpProxy {
  readonly url: URL;
  readonly variable: string;
  /** As it is printed: without its password. */
  readonly shown: string;
  readonly authorization?: string;
  readonly secrets: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const example = 'http://proxy.example.com:3128';

/**
 * Finds the proxy for an address in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as npm and curl do. The lower-case names come first.
 * `HTTP_PROXY` is used for https, too, if `HTTPS_PROXY` is not set. Plain http, which is for loopback addresses only, uses
 * no proxy, because it would send the token unencrypted to another machine.
 *
 * @returns `undefined` if the address is reached directly
 * @throws {AttuneError} if the variable does not hold the address of an http or https proxy.
 */
export function proxyFor(address: URL, env: Environment): HttpProxy | undefined {
  if (address.protocol === 'http:') return undefined;
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];
  const variable = names.find((name) => env[name]?.trim());
  if (variable === undefined) return undefined;
  const excluded = (env.no_proxy || env.NO_PROXY || '').split(/[,\s]+/).filter(Boolean);
  if (excluded.some((entry) => matches(entry.toLowerCase(), address))) return undefined;
  return parseProxy(env[variable]?.trim() ?? '', variable, address.hostname);
}

/** Whether an entry of `NO_PROXY` is the address: `*`, a host with its subdomains, or a range; each but a range with or without a port. */
function matches(entry: string, { hostname, port }: URL): boolean {
  if (entry === '*') return true;
  const host = bare(hostname);
  const [, network = '', bits] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  if (bits !== undefined) return isInRange(host, network, Number(bits));
  const [, name = entry, wantedPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== (port || '443')) return false;
  const { isIP } = process.getBuiltinModule('node:net');
  const wanted = bare(name.replace(/^\*?\./, ''));
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isInRange(host: string, network: string, bits: number): boolean {
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || bits > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, bits, type);
  return range.check(host, type);
}

/** Errors never quote the value, because it can hold a password. */
function parseProxy(value: string, variable: string, host: string): HttpProxy {
  const fail = (why: string) =>
    new AttuneError(`cannot use the proxy in ${variable}: ${why}`, {
      code: 'bad-address',
      hint: `set ${variable} to an address such as ${example}, or add ${host} to NO_PROXY`,
    });
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) throw fail('it is not an address');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw fail(`unsupported scheme "${url.protocol}//"`);
  const credentials = [url.username, url.password].map(decoded).join(':');
  const shown = `${url.protocol}//${url.username && `${url.username}${url.password && ':***'}@`}${url.host}`;
  if (credentials === ':') return { url, variable, shown, secrets: [] };
  const encoded = Buffer.from(credentials).toString('base64');
  const secrets = [encoded, url.password, decoded(url.password)].filter(Boolean);
  return { url, variable, shown, authorization: `Basic ${encoded}`, secrets: [...new Set(secrets)] };
}
