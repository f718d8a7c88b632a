import fc from 'fast-check';
import type { Dialect } from '../../../src/model/dialect.ts';
import { liveFacts } from '../../properties/live-facts.ts';
import { names } from '../../properties/live-organization.ts';
import { ask, workspaceBody } from '../../support/ask.ts';

/** A request of another user; `:id` is replaced by the id of a workspace. */
export interface Act {
  readonly workspace: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

const tag = (name: string) => ({ data: [{ type: 'tags', attributes: { name } }] });

const common: readonly Omit<Act, 'workspace'>[] = [
  { method: 'PATCH', path: '/workspaces/:id', body: workspaceBody({ name: 'theirs' }) },
  { method: 'PATCH', path: '/workspaces/:id', body: workspaceBody({ description: 'theirs' }) },
  { method: 'PATCH', path: '/workspaces/:id', body: workspaceBody({}, 'prj-two') },
  { method: 'POST', path: '/workspaces/:id/relationships/tags', body: tag('keep') },
  { method: 'DELETE', path: '/workspaces/:id/relationships/tags', body: tag('prod') },
  { method: 'POST', path: '/workspaces/:id/actions/lock', body: { reason: 'theirs' } },
  { method: 'DELETE', path: '/workspaces/:id' },
  { method: 'POST', path: '/organizations/acme/workspaces', body: workspaceBody({ name: 'epsilon' }) },
  { method: 'POST', path: '/organizations/acme/workspaces', body: workspaceBody({ name: 'beta-new' }) },
];
const bindings: readonly Omit<Act, 'workspace'>[] = ['/workspaces/:id', '/projects/prj-two'].map((path) => ({
  method: 'PATCH',
  path: `${path}/tag-bindings`,
  body: { data: [{ type: 'tag-bindings', attributes: { key: 'theirs', value: 'yes' } }] },
}));

export function actsOf(dialect: Dialect): fc.Arbitrary<Act> {
  return fc
    .tuple(
      fc.constantFrom<string>(...names),
      fc.constantFrom(...common, ...(dialect === 'terraform' ? bindings : [])),
    )
    .map(([workspace, act]) => ({ workspace, ...act }));
}

/** Some requests are refused, such as those of workspaces that do not exist. */
export async function perform(acts: readonly Act[], url: string): Promise<void> {
  for (const { workspace, method, path, body } of acts) {
    const { workspaces } = await liveFacts(url);
    const id = workspaces.find(({ name }) => name === workspace)?.id ?? 'ws-none';
    await ask({ url }, method, path.replace(':id', id), body, { authorization: 'Bearer test-token' });
  }
}
