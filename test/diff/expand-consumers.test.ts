import { describe, expect, test } from 'vitest';
import { createExpansion, expandConsumers } from '../../src/diff/expand-consumers.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Value } from '../../src/model/value.ts';

function workspace(name: string, attributes: Record<string, Value> = {}): WorkspaceResource {
  return { kind: 'workspace', address: `workspace.${name}`, name, id: `ws-${name}`, attributes };
}

/** Counts how often all of its entries are asked for. */
class Targets extends Map<string, WorkspaceResource> {
  walks = 0;
  override [Symbol.iterator]() {
    this.walks += 1;
    return super[Symbol.iterator]();
  }
  override values() {
    this.walks += 1;
    return super.values();
  }
}

/** An organization in which all workspaces are live, and none is declared. */
function expansionOf(workspaces: readonly WorkspaceResource[]) {
  const targets = new Targets();
  const diagnostics: Diagnostic[] = [];
  for (const resource of workspaces) targets.set(resource.id ?? '', resource);
  targets.walks = 0;
  const context = createExpansion({
    live: {
      state: {
        organization: 'acme',
        resources: new Map(workspaces.map((resource) => [resource.address, resource])),
      },
      dialect: 'iac',
      whole: true,
      scopeWhole: false,
      names: new Map(),
      projects: [],
      diagnostics: [],
    },
    matching: { kept: new Map(), deleted: new Map(), unmanaged: [], alreadyGone: 0, diagnostics: [] },
    deletedIds: new Set(),
    targets,
    isDeclared: () => false,
    diagnostics,
  });
  const expand = (name: string, rule: Value) =>
    expandConsumers(workspace(name, { 'remote-state-consumers': rule }), `ws-${name}`, context);
  return { expand, targets, problems: () => diagnostics.map(({ code, hint }) => `${code}: ${hint}`) };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => workspace(`w${index}`, { tags: index < 2 ? ['eu'] : [] }));

describe('a selector', () => {
  test('means all workspaces that it matches but the one itself', () => {
    const { expand } = expansionOf(numbered(4));
    const rule = { exactly: [{ tag: 'eu' }] };
    expect(expand('w0', rule)).toEqual({ exactly: ['ws-w1'] });
    expect(expand('w3', rule)).toEqual({ exactly: ['ws-w0', 'ws-w1'] });
  });

  test('is judged once, however many workspaces have it', () => {
    const workspaces = numbered(100);
    const { expand, targets } = expansionOf(workspaces);
    for (const { name } of workspaces) expand(name, { add: [{ tag: 'eu' }, { name: 'w*' }], remove: [] });
    expect(targets.walks).toBe(2);
  });
});

test('an unknown name is compared with all others once, however many workspaces have it', () => {
  const workspaces = numbered(100);
  const { expand, targets, problems } = expansionOf([...workspaces, workspace('network')]);
  for (const { name } of workspaces) expand(name, { exactly: ['netwrok'] });
  expect(targets.walks).toBe(1);
  expect(new Set(problems())).toEqual(new Set(['unknown-workspace: did you mean "network"?']));
});

test('a workspace is no consumer of itself; that none shall be may be said', () => {
  const { expand, problems } = expansionOf(numbered(3));
  expect(expand('w0', { add: ['w1'], remove: ['w0', 'ws-w0', 'w2'] })).toEqual({
    add: ['ws-w1'],
    remove: ['ws-w2'],
  });
  expect(problems()).toEqual([]);
  expect(expand('w0', { exactly: ['w0', 'w1'] })).toEqual({ exactly: ['ws-w1'] });
  expect(problems()).toEqual(['self-consumer: remove "w0"']);
});
