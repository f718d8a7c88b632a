import { forward, serverWith } from './servers.ts';

/** How a service differs from the live one that it imitates. */
export interface Differences {
  /** Paths that its router does not know: 404 in plain text. */
  readonly unknown?: readonly RegExp[];
  /** Requests that the service refuses as not found. */
  readonly forbidden?: readonly RegExp[];
  /** Requests that a proxy answers with a page of status 404, each so many times. */
  readonly proxied?: { readonly requests: RegExp; readonly times: number };
  /** Returns `false` for both flags of `setting-overwrites`, whatever was sent. */
  readonly overwritesAlwaysFalse?: boolean;
  /** Refuses this value of `include`, as a service does that does not know it. */
  readonly refusedInclude?: string;
  /** Ignores the flat tags in a create, which the live service does not document. */
  readonly ignoresTagsOfCreates?: boolean;
  /** Lists no workspaces, for any organization. */
  readonly emptyLists?: boolean;
  /** Relationships that its documents do not contain. */
  readonly hidden?: readonly string[];
  /** Gets each request as `METHOD /path`. */
  readonly requests?: string[];
}

/** A service that implements a part of the interface, in front of an embedded one. Stops after the test. */
export async function partialService(target: string, differences: Differences): Promise<string> {
  const { unknown = [], proxied, overwritesAlwaysFalse = false, emptyLists = false } = differences;
  const { refusedInclude, ignoresTagsOfCreates = false, forbidden = [] } = differences;
  const pages = new Map<string, number>();
  return serverWith(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const path = decodeURIComponent(url).replace(/^\/api\/v2/, '');
    differences.requests?.push(`${method} ${path}`);
    if (unknown.some((pattern) => pattern.test(`${method} ${path}`))) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    if (forbidden.some((pattern) => pattern.test(`${method} ${path}`))) {
      const errors = [{ status: '404', title: 'not found' }];
      response.writeHead(404, { 'content-type': 'application/vnd.api+json' }).end(JSON.stringify({ errors }));
      return;
    }
    const page = pages.get(`${method} ${path}`) ?? 0;
    if (proxied?.requests.test(`${method} ${path}`) && page < proxied.times) {
      pages.set(`${method} ${path}`, page + 1);
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
      return;
    }
    if (refusedInclude !== undefined && path.includes(`include=${refusedInclude}`)) {
      const detail = `Invalid include parameter: ${refusedInclude}`;
      const errors = [{ status: '400', title: 'bad request', detail }];
      response.writeHead(400, { 'content-type': 'application/vnd.api+json' }).end(JSON.stringify({ errors }));
      return;
    }
    if (emptyLists && /^\/organizations\/[^/]+\/workspaces(\?|$)/.test(path)) {
      response.end('{"data":[],"meta":{"pagination":{"total-count":0,"total-pages":0}}}');
      return;
    }
    const sent = Buffer.concat(await request.toArray());
    const isCreate = method === 'POST' && /^\/organizations\/[^/]+\/workspaces$/.test(path);
    const body = isCreate && ignoresTagsOfCreates ? withoutTags(sent) : sent;
    const { status, text } = await forward(target, request, body);
    response.writeHead(status, { 'content-type': 'application/vnd.api+json' });
    const shown = withoutRelationships(text, differences.hidden ?? []);
    response.end(overwritesAlwaysFalse ? withFalseFlags(shown) : shown);
  });
}

function withoutTags(body: Buffer): Buffer {
  const document = JSON.parse(body.toString());
  delete document.data.relationships?.tags;
  return Buffer.from(JSON.stringify(document));
}

function withFalseFlags(text: string): string {
  return text.replaceAll(/"(execution-mode|agent-pool)":true/g, '"$1":false');
}

function withoutRelationships(text: string, hidden: readonly string[]): string {
  if (hidden.length === 0 || text === '') return text;
  return JSON.stringify(JSON.parse(text, (key, value) => (hidden.includes(key) ? undefined : value)));
}
