import { expect, test } from 'vitest';
import type { Call } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import { fillPlaceholders, placeholdersOf } from '../../src/resolve/placeholders.ts';
import { rowsIn } from '../support/rows.ts';

const ids = new Map([
  ['workspace.app', 'ws-app'],
  ['project.base', 'prj-base'],
]);

const call = (path: string, body?: unknown): Call => ({
  operation: 'updateWorkspace',
  method: 'PATCH',
  path,
  ...(body !== undefined && { body: body as Value }),
});

test.each(rowsIn<[string, [string, unknown?], string[], [string, unknown?]]>`
- [in the path, ['/workspaces/{workspace.app}/relationships/tags'], [workspace.app], [/workspaces/ws-app/relationships/tags]]
- ['in a list of resources, beside ids and other members',
   [/workspaces/ws-web/relationships/remote-state-consumers, {data: [{type: workspaces, id: '{workspace.app}'}, {type: workspaces, id: ws-api}, {type: workspaces, id: '{workspace.unknown}'}, {type: workspaces, id: 'a {workspace.app}'}, text], meta: 1}],
   [workspace.app, workspace.unknown],
   [/workspaces/ws-web/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-app}, {type: workspaces, id: ws-api}, {type: workspaces, id: '{workspace.unknown}'}, {type: workspaces, id: 'a {workspace.app}'}, text], meta: 1}]]
- [that the path has and no created resource, ['/workspaces/{workspace.unknown}', {data: {attributes: {}}}], [workspace.unknown], ['/workspaces/{workspace.unknown}', {data: {attributes: {}}}]]
`)('a call gets the ids of created resources instead of placeholders %s', (_, before, needs, after) => {
  expect(placeholdersOf(call(...before))).toEqual(needs);
  expect(fillPlaceholders(call(...before), ids)).toEqual(call(...after));
});

test.each<[string, unknown]>([
  ['a text', 'text'],
  ['null', { data: null }],
  ['relationships that are no mapping', { data: { relationships: 1 } }],
  ['a project that is no mapping', { data: { relationships: { project: 1 } } }],
  ['a project without data', { data: { relationships: { project: { data: null } } } }],
  ['a project without an id', { data: { relationships: { project: { data: { type: 'projects' } } } } }],
  ['entries without ids', { data: [{ type: 'workspaces' }, { id: 5 }, null] }],
])('a body with %s is kept', (_, body) => {
  const before = call('/workspaces/{workspace.app}', body);
  expect(placeholdersOf(before)).toEqual(['workspace.app']);
  expect(fillPlaceholders(before, ids)).toEqual({ ...before, path: '/workspaces/ws-app' });
});
