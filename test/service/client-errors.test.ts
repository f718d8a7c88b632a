import nock from 'nock';
import { expect, test } from 'vitest';
import { errorDetails } from '../../src/service/failures.ts';
import { rowsIn } from '../support/rows.ts';
import { api, clientUnderTest, rejection, useNock } from './nocked-client.ts';

useNock();

test.each(rowsIn<{ name: string; status: number; body: Record<string, unknown> | string; text: string }>`
- {name: 404 of a router, status: 404, body: 404 page not found, text: 'not found, and the response is not JSON:API: the service may not have this endpoint'}
- {name: 404 with a page, status: 404, body: <html>Not here</html>, text: 'not found, and the response is not JSON:API: the service may not have this endpoint'}
- {name: 404 with a message outside of JSON:API, status: 404, body: {message: no such thing}, text: 'not found, and the response is not JSON:API: the service may not have this endpoint'}
- {name: 401 without detail, status: 401, body: {errors: [{status: '401', title: unauthorized}]}, text: the token is missing or not valid}
- {name: 403 with detail, status: 403, body: {errors: [{status: '403', title: forbidden, detail: You are not authorized to force delete this workspace.}]}, text: You are not authorized to force delete this workspace}
- {name: 403 without a body, status: 403, body: '', text: this token may not do that}
- {name: 404 without detail, status: 404, body: {errors: [{status: '404', title: not found}]}, text: 'not found, or this token may not see it'}
- {name: 404 with detail, status: 404, body: {errors: [{status: '404', title: not found, detail: Project does not exist.}]}, text: 'not found, or this token may not see it (Project does not exist)'}
- {name: 409 with detail, status: 409, body: {errors: [{status: '409', title: conflict, detail: Unable to lock workspace. It is locked by User user-1.}]}, text: Unable to lock workspace. It is locked by User user-1}
- {name: 409 without detail, status: 409, body: {errors: [{status: '409', title: conflict}]}, text: conflict with the current state}
- {name: 422 of an attribute, status: 422, body: {errors: [{status: '422', title: invalid attribute, detail: Name has already been taken, source: {pointer: /data/attributes/name}}]},
   text: Name has already been taken (/data/attributes/name)}
- {name: 422 without detail, status: 422, body: {errors: [{status: '422', title: invalid attribute, source: {pointer: /data/attributes/name}}]},
   text: the service refused the content of the request (invalid attribute (/data/attributes/name))}
- {name: 422 of several attributes, status: 422, body: {errors: [{detail: Name is bad.}, {title: Too many tags}, {detail: Mode is bad}]}, text: Name is bad; Too many tags; Mode is bad}
- {name: plain texts instead of error objects, status: 422, body: {errors: [Name is bad, Mode is bad]}, text: Name is bad; Mode is bad}
- {name: a status that is a number, status: 422, body: {errors: [{status: 422, title: invalid attribute, detail: Name is bad}]}, text: Name is bad}
- {name: 400 with a page, status: 400, body: <html>Bad Request</html>, text: unexpected status}
- {name: 418 with half a document, status: 418, body: '{"errors":[{"de', text: unexpected status}
- {name: errors that are not a list, status: 422, body: {errors: no}, text: the service refused the content of the request}
`)('an error has method, path, status and the text of the service: $name', async ({ status, body, text }) => {
  const { client, attempts } = clientUnderTest();
  nock(api).patch('/workspaces/ws-1').reply(status, body);
  const error = await rejection(client.send({ method: 'PATCH', path: '/workspaces/ws-1', body: {} }));
  expect(error.message).toBe(`PATCH /workspaces/ws-1 answered ${status}: ${text}`);
  expect(error).toMatchObject({ name: 'ServiceError', method: 'PATCH', path: '/workspaces/ws-1', status });
  expect(attempts()).toEqual([`PATCH ${status}`]);
});

test.each(rowsIn<{ status: number; body: Record<string, unknown> | string; text: string }>`
- {status: 500, body: {errors: [{status: '500', title: internal server error}]}, text: the service failed}
- {status: 502, body: <html><title>502 Bad Gateway</title></html>, text: the service failed}
- {status: 503, body: {errors: [{status: '503', title: x, detail: Down for maintenance.}]}, text: Down for maintenance}
`)(
  'the error of $status to a read, after its last try, has method, path, status and the text of the service',
  async ({ status, body, text }) => {
    const { client } = clientUnderTest();
    nock(api).get('/workspaces/ws-1').times(5).reply(status, body);
    const error = await rejection(client.get('/workspaces/ws-1'));
    expect(error.message).toBe(`GET /workspaces/ws-1 answered ${status}: ${text}`);
    expect(error.hint).toBe('run again later: iac.example.com has a problem (5 tries)');
  },
);

test('the query in an error is shown as it is written, not as it is encoded', async () => {
  const { client } = clientUnderTest();
  nock(api).get('/team-projects').query(true).reply(404);
  const error = await rejection(client.get('/team-projects', { 'filter[project][id]': 'prj-1' }));
  expect(error.message).toBe(
    'GET /team-projects?filter[project][id]=prj-1 answered 404: not found, and the response is not JSON:API: the service may not have this endpoint',
  );
  expect(error.hint).toBe('check the project and whether the token may see it');
});

test('the error of 404 to a change of tags reports that the service may not offer tags', async () => {
  const path = '/workspaces/ws-1/relationships/tags';
  const { client } = clientUnderTest();
  nock(api)
    .post(path)
    .reply(404, { errors: [{ status: 404, title: 'not found' }] });
  expect((await rejection(client.send({ method: 'POST', path, body: {} }))).hint).toBe(
    'remove `tags` if the service does not offer tags, else check that the token may manage them',
  );
});

test.each(rowsIn<{ path: string; status: number; hint?: string }>`
- {path: /workspaces/ws-1, status: 401, hint: set ATTUNE_TOKEN to a token that is valid for iac.example.com}
- {path: /organizations/acme/workspaces, status: 404, hint: 'check the name of the organization, and that the token for iac.example.com belongs to it'}
- {path: /organizations/acme/workspaces/app, status: 404}
- {path: /workspaces/ws-1, status: 422}
`)('the error of $status to GET $path has a hint', async ({ path, status, hint }) => {
  const { client } = clientUnderTest();
  nock(api).get(path).reply(status);
  expect((await rejection(client.get(path))).hint).toBe(hint);
});

test.each(rowsIn<[string, string]>`
- [ATTUNE_TOKEN_ACME_GOV, set ATTUNE_TOKEN_ACME_GOV to a token that is valid for iac.example.com]
- [/home/jo/.terraform.d/credentials.tfrc.json, 'run \`terraform login iac.example.com\`, or set ATTUNE_TOKEN: the token in /home/jo/.terraform.d/credentials.tfrc.json is not valid for iac.example.com']
`)('the error of 401 names %s if the token comes from it', async (tokenSource, hint) => {
  const { client } = clientUnderTest({ tokenSource });
  nock(api).get('/workspaces/ws-1').reply(401);
  expect((await rejection(client.get('/workspaces/ws-1'))).hint).toBe(hint);
});

test.each(rowsIn<[string, unknown, unknown]>`
- [a text, no, []]
- [a list, [{detail: x}], []]
- [a document without errors, {data: {}}, []]
- [errors that are no list, {errors: {detail: x}}, []]
- [a text in the list, {errors: ['no']}, [{detail: 'no'}]]
- [numbers and nulls in the list, {errors: [1, ~, [x]]}, []]
- [members of other types, {errors: [{title: 1, detail: ~, source: x, status: 422}]}, [{}]]
- [empty texts, {errors: [{title: '', detail: ''}]}, [{}]]
- [a title and a pointer, {errors: [{title: a, detail: b, source: {pointer: /data}}]}, [{title: a, detail: b, pointer: /data}]]
`)('the error details of %s are found', (_name, document, expected) => {
  expect(errorDetails(document)).toEqual(expected);
});

test('the error details of a document without bounds are the first twenty, each with 500 characters', () => {
  expect(errorDetails(undefined)).toEqual([]);
  const details = errorDetails({ errors: Array(1000).fill('x'.repeat(9999)) });
  expect(details).toEqual(Array(20).fill({ detail: 'x'.repeat(500) }));
});
