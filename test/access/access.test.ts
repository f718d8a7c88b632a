import { expect, test } from 'vitest';
import { stateRow } from '../../src/access/access.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import { rowsIn } from '../support/rows.ts';

/** Interface, section 4.5. */
test.each(rowsIn<{
  attributes: WorkspaceResource['attributes'];
  id?: string;
  via: string;
  source: string;
  readers?: string[];
}>`
- {attributes: {global-remote-state: true, remote-state-consumers: [ws-b]}, via: all, source: global-remote-state, readers: ['*']}
- {attributes: {project-remote-state: true, project: prj-1}, via: project, source: project-remote-state, readers: [prj-1/*]}
- {attributes: {project-remote-state: true}, via: unknown, source: project-remote-state}
- {attributes: {remote-state-consumers: [ws-b, ws-a, ws-gone]}, via: list, source: remote-state-consumers, readers: [ws-b]}
- {attributes: {}, via: unknown, source: remote-state-consumers}
- {attributes: {global-remote-state: false}, via: unknown, source: remote-state-consumers}
- {attributes: {global-remote-state: false}, id: '{workspace.a}', via: list, source: remote-state-consumers, readers: []}
- {attributes: {}, id: '{workspace.a}', via: unknown, source: remote-state-consumers}
`)('who can read the state of a workspace with $attributes', ({ attributes, id = 'ws-a', ...expected }) => {
  const owner = { kind: 'workspace', address: 'workspace.a', name: 'a', id, attributes } as const;
  const { via, source, readers } = stateRow(owner, new Set(['ws-gone']));
  expect({ via, source, readers }).toEqual({ readers: undefined, ...expected });
});
