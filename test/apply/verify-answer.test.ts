import { describe, expect, test } from 'vitest';
import type { CallKind } from '../../src/apply/call-kind.ts';
import { verifyAnswer } from '../../src/apply/verify-answer.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import type { PlannedChange } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import { notices, stage, told } from './stage.ts';

const change: PlannedChange = {
  address: 'workspace.app',
  kind: 'workspace',
  name: 'app',
  action: 'update',
  fields: [],
  calls: [],
  dependsOn: [],
};

interface Exchange {
  readonly kind?: CallKind;
  readonly dialect?: Dialect;
  readonly sent: Record<string, Value>;
  readonly project?: string;
  readonly got: Record<string, unknown>;
  readonly relationships?: Record<string, unknown>;
}

function compare({
  kind = 'update-workspace',
  dialect = 'iac',
  sent,
  project,
  got,
  relationships,
}: Exchange): string[] {
  const body: Value = {
    data: {
      type: 'x',
      attributes: sent,
      ...(project !== undefined && {
        relationships: { project: { data: { type: 'projects', id: project } } },
      }),
    },
  };
  const call = { method: 'PATCH', path: '/workspaces/ws-1', body } as const;
  const document = { data: { id: 'ws-1', attributes: got, relationships: relationships ?? {} } };
  return verifyAnswer({ kind, call, change }, document, dialect).map(({ message }) => message);
}

describe('what was taken is not told', () => {
  test.each<[string, Exchange]>([
    ['the same values', { sent: { 'auto-apply': true }, got: { 'auto-apply': true } }],
    ['values that were not sent', { sent: {}, got: { 'auto-apply': true } }],
    ['values that are not answered', { sent: { 'auto-apply': true }, got: {} }],
    ['null for an empty text', { sent: { description: null }, got: { description: '' } }],
    [
      'a list in another order',
      { sent: { 'trigger-prefixes': ['a', 'b'] }, got: { 'trigger-prefixes': ['b', 'a'] } },
    ],
    [
      'a moment in another zone',
      {
        sent: { 'auto-destroy-at': '2030-01-01T00:00:00Z' },
        got: { 'auto-destroy-at': '2030-01-01T01:00:00.000+01:00' },
      },
    ],
    [
      'a pool in its relationship',
      {
        sent: { 'agent-pool-id': 'apool-1' },
        got: { 'agent-pool-id': null },
        relationships: { 'agent-pool': { data: { type: 'agent-pools', id: 'apool-1' } } },
      },
    ],
    [
      'keys inside vcs-repo',
      {
        sent: { 'vcs-repo': { branch: 'main' } },
        got: { 'vcs-repo': { branch: 'main', identifier: 'a/b' } },
      },
    ],
    [
      'a level with what it implies',
      {
        kind: 'update-grant',
        sent: { access: 'read' },
        got: { access: 'read', 'workspace-access': { runs: 'apply' } },
        relationships: { team: { data: { id: 'team-1' } } },
      },
    ],
  ])('%s', (_name, exchange) => {
    expect(compare(exchange)).toEqual([]);
  });
});

describe('what was not taken is told', () => {
  test.each<[string, Exchange, string]>([
    [
      'a value that a full answer does not have',
      { sent: { 'auto-apply-run-trigger': true }, got: { name: 'app' } },
      'auto-apply-run-trigger of workspace.app was sent as true, and the service does not return it',
    ],
    [
      'an SSH key that is still missing',
      {
        kind: 'ssh-key',
        sent: { id: 'sshkey-1' },
        got: { name: 'app' },
        relationships: { 'ssh-key': { data: null } },
      },
      'ssh-key of workspace.app was sent as "sshkey-1", and the service answers null',
    ],
    [
      'a lock that did not hold',
      { kind: 'lock', sent: {}, got: { name: 'app', locked: false } },
      'lock of workspace.app was sent as locked, and the service answers unlocked',
    ],
    [
      'another value',
      { sent: { 'auto-apply': true }, got: { 'auto-apply': false } },
      'auto-apply of workspace.app was sent as true, and the service answers false',
    ],
    [
      'a text cut short',
      { sent: { description: 'long' }, got: { description: 'lo' } },
      'description of workspace.app was sent as "long", and the service answers "lo"',
    ],
    [
      'a list emptied',
      { sent: { 'trigger-prefixes': ['a'] }, got: { 'trigger-prefixes': null } },
      'trigger-prefixes of workspace.app was sent as ["a"], and the service answers []',
    ],
    [
      'a key inside vcs-repo',
      { sent: { 'vcs-repo': { branch: 'x' } }, got: { 'vcs-repo': { branch: 'main' } } },
      'vcs-repo.branch of workspace.app was sent as "x", and the service answers "main"',
    ],
    [
      'a version under its name in the dialect',
      { dialect: 'terraform', sent: { 'terraform-version': '1.9.0' }, got: { 'terraform-version': '1.8.0' } },
      'iac-version of workspace.app was sent as "1.9.0", and the service answers "1.8.0"',
    ],
    [
      'another project',
      { sent: {}, project: 'prj-1', got: {}, relationships: { project: { data: { id: 'prj-2' } } } },
      'project of workspace.app was sent as "prj-1", and the service answers "prj-2"',
    ],
    [
      'another level',
      {
        kind: 'create-grant',
        sent: { access: 'admin' },
        got: { access: 'write' },
        relationships: { team: { data: { id: 'team-1' } } },
      },
      'access of workspace.app was sent as "admin", and the service answers "write"',
    ],
    [
      'a permission',
      {
        kind: 'update-grant',
        sent: { access: 'custom', 'workspace-access': { runs: 'apply' } },
        got: { access: 'custom', 'workspace-access': { runs: 'plan' } },
        relationships: { team: { data: { id: 'team-1' } } },
      },
      'workspace-access.runs of workspace.app was sent as "apply", and the service answers "plan"',
    ],
  ])('%s', (_name, exchange, message) => {
    expect(compare(exchange)).toEqual([message]);
  });
});

test('an answer without a document is not compared', () => {
  const call = {
    method: 'PATCH',
    path: '/workspaces/ws-1',
    body: { data: { attributes: { a: 1 } } },
  } as const;
  expect(verifyAnswer({ kind: 'update-workspace', call, change }, undefined, 'iac')).toEqual([]);
});

describe('at the end of an apply', () => {
  const yaml = 'workspaces: {app: {description: words}}\n';
  const answering = async (attributes: Record<string, unknown>) => {
    const { apply, client } = await stage(yaml, { seed: { workspaces: { app: {} } } });
    const send = async () => ({ data: { id: 'ws-1', attributes } });
    return apply({ client: { ...client, send } });
  };

  test('a value that the service did not take is a warning, and the change is done', async () => {
    const result = await answering({ description: 'other' });
    expect(told(result)).toEqual(['done workspace.app 1']);
    expect(result.diagnostics).toEqual([
      {
        severity: 'warning',
        code: 'not-taken',
        message: 'description of workspace.app was sent as "words", and the service answers "other"',
        address: 'workspace.app',
        hint: 'the service changed or ignored the value; declare what it answers, or the difference comes back',
      },
    ]);
  });

  test('an answer that cannot be compared is a warning too: what is written is written', async () => {
    const result = await answering({ description: 7 });
    expect(told(result)).toEqual(['done workspace.app 1']);
    expect(notices(result)[0]).toMatch(
      /^warning\[not-compared\]: PATCH \/workspaces\/ws-\w+ took effect, and its answer could not be compared with what was sent: .* its description is missing or of another type/,
    );
  });
});
