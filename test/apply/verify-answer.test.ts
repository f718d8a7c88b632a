import { expect, test } from 'vitest';
import { verifyAnswer } from '../../src/apply/operations/operations.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import type { Operation } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import { writtenBy } from '../../src/service/call-codec.ts';
import { updateOfApp as change } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';
import { notices, reported, stage } from './stage.ts';

/** Compares the answer to a call with its body. One that is not an error begins with its severity. */
function findings(
  data: Value,
  document: object | undefined,
  { operation, dialect = 'iac' }: { readonly operation: Operation; readonly dialect?: Dialect | undefined },
): string[] {
  const call = { operation, method: 'PATCH', path: '/workspaces/ws-1', body: { data } } as const;
  const found = verifyAnswer(
    { call, change, id: 'ws-1', written: writtenBy(call, dialect) },
    document,
    dialect,
  );
  return found.map(({ severity, message }) => (severity === 'error' ? message : `${severity}: ${message}`));
}

interface Exchange {
  readonly operation?: Operation;
  readonly dialect?: Dialect;
  readonly sent: Record<string, Value>;
  /** The relationships that are sent. */
  readonly to?: Record<string, Value>;
  /** The attributes that are returned, or nothing. */
  readonly got?: Record<string, unknown> | null;
  /** What is returned instead of a resource. */
  readonly data?: unknown;
  readonly relationships?: Record<string, unknown>;
  readonly included?: readonly unknown[];
}

test.each(rowsIn<[string, Exchange, ...string[]]>`
- [the same values, {sent: {auto-apply: true}, got: {auto-apply: true}}]
- [values that were not sent, {sent: {}, got: {auto-apply: true}}]
- [null for an empty text, {sent: {description: null}, got: {description: ''}}]
- [a list in another order, {sent: {trigger-prefixes: [a, b]}, got: {trigger-prefixes: [b, a]}}]
- [a moment in another zone, {sent: {auto-destroy-at: 2030-01-01T00:00:00Z}, got: {auto-destroy-at: 2030-01-01T01:00:00.000+01:00}}]
- [a pool in its relationship, {sent: {agent-pool-id: apool-1}, got: {agent-pool-id: null}, relationships: {agent-pool: {data: {type: agent-pools, id: apool-1}}}}]
- [keys inside vcs-repo, {sent: {vcs-repo: {branch: main}}, got: {vcs-repo: {branch: main, identifier: a/b}}}]
- [a level with what it implies, {operation: updateGrant, sent: {access: read}, got: {access: read, workspace-access: {runs: apply}}, relationships: {team: {data: {id: team-1}}}}]
- [no document, {sent: {auto-apply: true}}]
- [a repository that is detached, {sent: {vcs-repo: null}, got: {name: app, vcs-repo: null}}]
- [key/value tags that it does not include, {dialect: terraform, sent: {}, to: {tag-bindings: {data: [{type: tag-bindings, attributes: {key: env, value: prod}}]}}, got: {name: app},
   relationships: {effective-tag-bindings: {data: [{id: tb-1, type: effective-tag-bindings}]}}}]
- [no attribute, {sent: {auto-apply: true, setting-overwrites: {agent-pool: false}}, to: {project: {data: {type: projects, id: prj-1}}}, got: {}},
   'warning: auto-apply of workspace.app was sent as true, but the service did not return it',
   'warning: setting-overwrites.agent-pool of workspace.app was sent as false, but the service did not return it',
   'warning: project of workspace.app was sent as "prj-1", but the service did not return it']
- [null instead of attributes, {sent: {auto-apply: true}, got: null}, 'warning: auto-apply of workspace.app was sent as true, but the service did not return it']
- [no lock, {operation: lockWorkspace, sent: {}, got: {}}, 'warning: lock of workspace.app was sent as locked, but the service did not return it']
- [a list of resources, {sent: {auto-apply: true}, data: [{id: ws-1, attributes: {auto-apply: true}}]},
   'warning: PATCH /workspaces/ws-1 took effect, but its response could not be compared with the request: its data is not a resource with an id']
- [no data, {sent: {auto-apply: true}, data: null}]
- [a value that a full answer does not have, {sent: {auto-apply-run-trigger: true}, got: {name: app}}, 'warning: auto-apply-run-trigger of workspace.app was sent as true, but the service did not return it']
- [an SSH key that is still missing, {operation: assignSshKey, sent: {id: sshkey-1}, got: {name: app}, relationships: {ssh-key: {data: null}}}, 'ssh-key of workspace.app was sent as "sshkey-1", but the service returned null']
- [a lock that did not hold, {operation: lockWorkspace, sent: {}, got: {name: app, locked: false}}, 'lock of workspace.app was sent as locked, but the service returned unlocked']
- [another value, {sent: {auto-apply: true}, got: {auto-apply: false}}, 'auto-apply of workspace.app was sent as true, but the service returned false']
- [a text cut short, {sent: {description: long}, got: {description: lo}}, 'description of workspace.app was sent as "long", but the service returned "lo"']
- [a list emptied, {sent: {trigger-prefixes: [a]}, got: {trigger-prefixes: null}}, 'trigger-prefixes of workspace.app was sent as ["a"], but the service returned []']
- [a key inside vcs-repo, {sent: {vcs-repo: {branch: x}}, got: {vcs-repo: {branch: main}}}, 'vcs-repo.branch of workspace.app was sent as "x", but the service returned "main"']
- [a version under its name in the dialect, {dialect: terraform, sent: {terraform-version: 1.9.0}, got: {terraform-version: 1.8.0}}, 'iac-version of workspace.app was sent as "1.9.0", but the service returned "1.8.0"']
- [a version under the name of a dialect that the plan did not expect, {sent: {iac-version: 1.9.0}, got: {terraform-version: latest}}, 'iac-version of workspace.app was sent as "1.9.0", but the service returned "latest"']
- [another project, {sent: {}, to: {project: {data: {type: projects, id: prj-1}}}, got: {}, relationships: {project: {data: {id: prj-2}}}}, 'project of workspace.app was sent as "prj-1", but the service returned "prj-2"']
- [no project, {sent: {}, to: {project: {data: {type: projects, id: prj-1}}}, got: {name: app}, relationships: {project: {data: null}}}, 'project of workspace.app was sent as "prj-1", but the service returned null']
- [another level, {operation: createGrant, sent: {access: admin}, got: {access: write}, relationships: {team: {data: {id: team-1}}}}, 'access of workspace.app was sent as "admin", but the service returned "write"']
- [a permission, {operation: updateGrant, sent: {access: custom, workspace-access: {runs: apply}}, got: {access: custom, workspace-access: {runs: plan}}, relationships: {team: {data: {id: team-1}}}},
   'workspace-access.runs of workspace.app was sent as "apply", but the service returned "plan"']
- [a permission that is missing; one that has its default is not, {operation: updateGrant, sent: {access: custom, workspace-access: {runs: apply, create: false}}, got: {access: custom}},
   'warning: workspace-access.runs of workspace.app was sent as "apply", but the service did not return it']
- [a detached repository, {sent: {vcs-repo: null}, got: {name: app, vcs-repo: {identifier: acme/app}}}, 'vcs-repo of workspace.app was sent as null, but the service returned {"identifier":"acme/app"}']
- [other key/value tags, {dialect: terraform, sent: {}, to: {tag-bindings: {data: [{type: tag-bindings, attributes: {key: env, value: prod}}]}}, got: {name: app},
   relationships: {effective-tag-bindings: {data: [{id: tb-1, type: effective-tag-bindings}]}}, included: [{id: tb-1, type: effective-tag-bindings, attributes: {key: env, value: dev}}]},
   'tag-bindings of workspace.app were sent, but the service returned without env=prod and still with env=dev']
`)('an answer with %s has the finding that follows, if any', (_name, exchange, ...expected) => {
  const {
    operation = 'updateWorkspace',
    dialect,
    sent,
    to = {},
    got,
    relationships = {},
    data: answered = got !== undefined && { id: 'ws-1', attributes: got, relationships },
    included,
  } = exchange;
  const data = { type: 'x', attributes: sent, relationships: to };
  const document = answered === false ? undefined : { data: answered, ...(included && { included }) };
  expect(findings(data, document, { operation, dialect })).toEqual(expected);
});

const yaml = 'workspaces: {app: {description: words}}\n';
const answering = async (attributes: Record<string, unknown>) => {
  const { apply, client } = await stage(yaml, { seed: { workspaces: { app: {} } } });
  const send = async () => ({ data: { id: 'ws-1', attributes } });
  return apply({ client: { ...client, send } });
};

test('a change whose answer shows another value is partial with the code not-taken', async () => {
  const { changes, diagnostics } = await answering({ description: 'other' });
  const message =
    'description of workspace.app was sent as "words", but the service returned "other"; declare the value that the service returns, or check why it does not accept the declared one (1 of 1 call completed)';
  const path = expect.stringMatching(/^\/workspaces\/ws-\w+$/);
  const error = { code: 'not-taken', message, method: 'PATCH', path };
  expect(changes).toMatchObject([{ result: 'partial', callsDone: 1, error }]);
  expect(diagnostics).toEqual([]);
});

test('a value that the service does not return at all is a warning, and the change is done', async () => {
  const result = await answering({ name: 'app' });
  expect(reported(result)).toEqual(['done workspace.app 1']);
  expect(notices(result)).toEqual([
    'warning[not-taken]: description of workspace.app was sent as "words", but the service did not return it',
  ]);
});

test('an answer that cannot be compared is a warning, and the change is done', async () => {
  const result = await answering({ description: 7 });
  expect(reported(result)).toEqual(['done workspace.app 1']);
  expect(notices(result)[0]).toMatch(
    /^warning\[not-compared\]: PATCH \/workspaces\/ws-\w+ took effect, but its response could not be compared with the request: .* its description is missing or of another type/,
  );
});

interface ListExchange {
  readonly operation: Operation;
  readonly sent: readonly string[];
  /** What the service returned, or nothing. */
  readonly got?: unknown;
  readonly total?: number;
  readonly dialect?: Dialect;
}

/** An entry of a list: the name of a tag, `KEY=VALUE`, or the id of a workspace. */
function entry(operation: Operation, written: unknown): unknown {
  if (typeof written !== 'string') return written;
  if (operation.endsWith('Consumers')) return { id: written, type: 'workspaces' };
  const [key, value] = written.split('=');
  return operation === 'upsertBindings'
    ? { id: 'tb-1', type: 'tag-bindings', attributes: { key, value } }
    : { id: 'tag-1', type: 'tags', attributes: { name: written } };
}

test.each(rowsIn<[string, ListExchange, string?]>`
- [without an added tag, {operation: addTags, sent: [net, prod], got: [net]}, 'tags of workspace.app were sent, but the service returned without prod']
- [with a removed tag, {operation: removeTags, sent: [net], got: [net]}, 'tags of workspace.app were sent, but the service returned still with net']
- [as the workspace without an added tag, {operation: addTags, sent: [net], got: {id: ws-1, attributes: {tag-names: []}}}, 'tags of workspace.app were sent, but the service returned without net']
- [with another consumer, {operation: replaceConsumers, sent: [ws-2], got: [ws-3]}, 'remote-state-consumers of workspace.app were sent, but the service returned without ws-2 and still with ws-3']
- [with every tag, {operation: addTags, sent: [net], got: [net, x]}]
- [in lower case, {operation: addTags, sent: [Net], got: [net], dialect: terraform}]
- [with the same consumers, {operation: replaceConsumers, sent: [ws-2], got: [ws-2]}]
- [as nothing, {operation: replaceConsumers, sent: [ws-2]}]
- [as a first page, {operation: addConsumers, sent: [ws-2], got: [ws-3], total: 2}]
- [as bare tag ids, {operation: addTags, sent: [net], got: [{id: tag-1, type: tags}]}]
- [with another value of a key, {operation: upsertBindings, sent: [env=prod], got: [env=dev], dialect: terraform}, 'tag-bindings of workspace.app were sent, but the service returned without env=prod']
- [with a key without its value, {operation: upsertBindings, sent: [env=prod], got: [{id: tb-1, type: tag-bindings, attributes: {key: env, value: null}}], dialect: terraform}, 'tag-bindings of workspace.app were sent, but the service returned without env=prod']
- [without any key, {operation: upsertBindings, sent: [env=prod], got: [], dialect: terraform}, 'tag-bindings of workspace.app were sent, but the service returned without env=prod']
- [with other keys, {operation: upsertBindings, sent: [env=prod], got: [env=prod, owner=jo], dialect: terraform}]
- [as no list, {operation: upsertBindings, sent: [env=prod], got: null, dialect: terraform}]
`)('a list that is returned %s has the finding that follows, if any', (_how, exchange, ...expected) => {
  const { operation, sent, got, total } = exchange;
  const entries = (written: readonly unknown[]) => written.map((one) => entry(operation, one));
  const meta = total === undefined ? {} : { pagination: { 'total-count': total } };
  const document = got === undefined ? undefined : { data: Array.isArray(got) ? entries(got) : got, meta };
  expect(findings(entries(sent) as Value, document, exchange)).toEqual(expected);
});

const seed = { workspaces: { hub: {}, web: {} } };

/** A service that stores no tags of a create, so that they are added with one more call. */
async function withoutTagsInCreate(answerToTags: object | undefined) {
  const on = await stage('workspaces: {app: {tags: [a]}}\n', { seed, dialect: 'terraform' });
  const client: typeof on.client = {
    ...on.client,
    async send(call, options) {
      if (call.path.endsWith('/relationships/tags')) {
        if (answerToTags instanceof Error) throw answerToTags;
        return answerToTags;
      }
      const body = JSON.parse(JSON.stringify(call.body));
      delete body.data.relationships?.tags;
      return on.client.send({ ...call, body }, options);
    },
  };
  return on.apply({ client });
}

test('a create whose tags the service does not store is partial with the code not-taken', async () => {
  const { changes } = await withoutTagsInCreate({ data: [] });
  const message = /^tags of workspace.app were sent, but the service returned without a;/;
  const error = { code: 'not-taken', method: 'POST', message: expect.stringMatching(message) };
  expect(changes).toMatchObject([{ result: 'partial', callsDone: 2, extraCalls: 1, error }]);
});

test('a call for tags that a create did not store counts among the calls of its change if it fails', async () => {
  const { changes } = await withoutTagsInCreate(new Error('refused'));
  const error = { message: expect.stringMatching(/ \(1 of 2 calls completed\)$/) };
  expect(changes).toMatchObject([{ result: 'partial', callsDone: 1, error }]);
});

test('consumers that are added one by one and not stored are not-taken', async () => {
  const on = await stage('workspaces: {web: {remote-state-consumers: [hub]}}\n', { seed });
  on.service.setFaults([{ kind: 'status', status: 403, method: 'PATCH' }]);
  const send: typeof on.client.send = async (call, options) =>
    call.method === 'POST' ? { data: [] } : on.client.send(call, options);
  const { changes } = await on.apply({ client: { ...on.client, send } });
  expect(changes).toMatchObject([
    { result: 'partial', callsDone: 1, extraCalls: 1, error: { code: 'not-taken' } },
  ]);
});
