import { expect } from 'vitest';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly headers: Headers;
}

/** Sends a request to a running service, as another client of it. */
export async function ask(
  { url }: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const isOutside = path.startsWith('/_') || path.startsWith('/.');
  const response = await fetch(`${url}${isOutside ? '' : '/api/v2'}${path}`, {
    method,
    headers: { 'content-type': 'application/vnd.api+json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}

/** Sends a request as another client, and returns the `data` of the answer; fails if the service refuses it. */
export async function sendTo(
  service: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply['body']> {
  const reply = await ask(service, method, path, body, { authorization: 'Bearer test-token' });
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body?.data;
}

/** What a write to a workspace sends. */
export function workspaceBody(attributes: object, project?: string) {
  return {
    data: {
      type: 'workspaces',
      attributes,
      ...(project !== undefined && {
        relationships: { project: { data: { type: 'projects', id: project } } },
      }),
    },
  };
}

/** The id of the access of a team to a project, which the service assigns. */
export async function grantId(
  service: { readonly url: string },
  { project, team }: { readonly project: string; readonly team: string },
): Promise<string> {
  const grants: readonly { id: string; relationships: { team: { data: { id: string } } } }[] = await sendTo(
    service,
    'GET',
    `/team-projects?filter[project][id]=${project}`,
  );
  const grant = grants.find(({ relationships }) => relationships.team.data.id === team);
  if (grant === undefined) throw new Error(`${team} has no access to ${project}`);
  return grant.id;
}
