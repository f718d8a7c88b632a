import { expect, test } from 'vitest';
import { consumerExpansion } from '../../src/diff/expand-consumers.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Value } from '../../src/model/value.ts';

function workspace(name: string, attributes: Record<string, Value> = {}): WorkspaceResource {
  return { kind: 'workspace', address: `workspace.${name}`, name, id: `ws-${name}`, attributes };
}

/** An organization in which all workspaces are live, and none is declared. */
function expansionOf(
  workspaces: readonly WorkspaceResource[],
  names: ReadonlyMap<string, string> = new Map(),
) {
  const targets = new Map(workspaces.map((resource) => [resource.id ?? '', resource]));
  const diagnostics: Diagnostic[] = [];
  const expansion = consumerExpansion({
    live: {
      state: {
        organization: 'acme',
        resources: new Map(workspaces.map((resource) => [resource.address, resource])),
      },
      dialect: 'iac',
      whole: true,
      scopeWhole: false,
      names,
      projects: [],
      missing: [],
      diagnostics: [],
    },
    planned: new Map(),
    deletedIds: new Set(),
    leftOut: () => ({ code: 'needs-left-out', by: '--only', hint: 'add --only workspace.x' }),
    targets,
    declared: () => undefined,
    diagnostics,
  });
  const expand = (name: string, rule: Value) =>
    expansion(workspace(name, { 'remote-state-consumers': rule }), `ws-${name}`);
  return { expand, problems: () => diagnostics.map(({ code, hint }) => `${code}: ${hint}`) };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => workspace(`w${index}`, { tags: index < 2 ? ['eu'] : [] }));

test('a workspace that was not read is known by name if a list of consumers contains it', () => {
  const { expand, problems } = expansionOf(numbered(1), new Map([['ws-9', 'stray']]));
  expect([expand('w0', { exactly: ['stray'] }), problems()]).toEqual([{ exactly: ['ws-9'] }, []]);
});

test('a workspace that adds itself as a consumer is an error, and one that removes itself is not', () => {
  const { expand, problems } = expansionOf(numbered(3));
  expect(expand('w0', { add: ['w1'], remove: ['w0', 'ws-w0', 'w2'] })).toEqual({
    add: ['ws-w1'],
    remove: ['ws-w2'],
  });
  expect(problems()).toEqual([]);
  expect(expand('w0', { exactly: ['w0', 'w1'] })).toEqual({ exactly: ['ws-w1'] });
  expect(problems()).toEqual(['self-consumer: remove "w0"']);
});

test('an exception may name a workspace that the list names, by another spelling', () => {
  const { expand, problems } = expansionOf(numbered(4));
  const except = ['ws-w1', 'unknown'];
  expect(expand('w3', { exactly: [{ tag: 'eu' }, 'w1'], except })).toEqual({
    exactly: ['ws-w0', 'ws-w1', 'ws-w1'],
    except: ['ws-w1'],
  });
  expect(problems()).toEqual([]);
  expect(expand('w3', { add: ['w1', 'unknown'], remove: except })).toMatchObject({ remove: ['ws-w1'] });
  expect(problems()).toEqual(['unknown-name: declare the workspace, or check that the token may see it']);
});
