import { AttuneError } from '../model/diagnostic.ts';
import { decoded } from './address.ts';

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
