import { describe, expect, test } from 'vitest';
import type { JournalRecord } from '../../src/apply/journal/journal.ts';
import type { Fault, FaultKind, OrganizationSeed } from '../../src/emulator/index.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { rowsIn } from '../support/rows.ts';
import { notices, reported, stage } from './stage.ts';

const projects = { One: 'prj-1' };
const teams = { sre: 'team-sre' };
const granted = { 'prj-1': { sre: 'read' } };

interface Row {
  readonly what: string;
  readonly yaml: string;
  readonly seed: OrganizationSeed;
  readonly method: string;
  readonly path: string;
  /** The question that is asked before the write would be sent again. */
  readonly lookUp: string;
  /** Requests that come before the write in any case. */
  readonly before?: readonly string[];
  readonly address: string;
}

const rows = rowsIn<Row>`
- {what: the creation of a workspace, yaml: "workspaces: {app: {}}\n", seed: {workspaces: {}}, method: POST, path: /organizations/acme/workspaces, lookUp: GET /organizations/acme/workspaces/app, address: workspace.app}
- {what: the creation of a grant, yaml: "projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: write}}\n", seed: {projects: {One: prj-1}, teams: {sre: team-sre}}, method: POST, path: /team-projects,
   lookUp: 'GET /team-projects?filter[project][id]=prj-1&page[size]=100', address: team-access.one/sre}
- {what: a revoked grant, yaml: "projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: none}}\n", seed: {projects: {One: prj-1}, teams: {sre: team-sre}, team-access: {prj-1: {sre: read}}},
   method: DELETE, path: /team-projects/<one/sre>, lookUp: GET /team-projects/<one/sre>, before: [GET /team-projects/<one/sre>], address: team-access.one/sre}
- {what: a lock, yaml: "workspaces: {app: {lock: true}}\n", seed: {workspaces: {app: {}}}, method: POST, path: /workspaces/<app>/actions/lock, lookUp: 'GET /workspaces/<app>?include=locked_by', address: workspace.app}
- {what: an unlock, yaml: "workspaces: {app: {lock: false}}\n", seed: {workspaces: {app: {locked: true}}}, method: POST, path: /workspaces/<app>/actions/unlock, lookUp: 'GET /workspaces/<app>?include=locked_by', address: workspace.app}
- {what: a safe delete, yaml: "workspaces: {app: {state: absent}}\n", seed: {workspaces: {app: {}}}, method: POST, path: /workspaces/<app>/actions/safe-delete, lookUp: GET /workspaces/<app>,
   before: [GET /workspaces/<app>], address: workspace.app}
- {what: a force delete, yaml: "workspaces: {app: {state: absent, delete: force}}\n", seed: {workspaces: {app: {}}}, method: DELETE, path: /workspaces/<app>, lookUp: GET /workspaces/<app>,
   before: [GET /workspaces/<app>], address: workspace.app}
`;

async function play(row: Row, kind: FaultKind, status?: number) {
  const stageOf = await stage(row.yaml, { seed: { organization: 'acme', ...row.seed } });
  stageOf.service.setFaults([
    { kind, method: row.method, path: row.path.replace(/<[^>]*>/, '*'), nth: 1, ...(status && { status }) },
  ]);
  const result = await stageOf.apply();
  return { result, requests: await stageOf.requests() };
}

// What ends a write, for which writes, with the requests that follow. An answer without a body cannot be halved.
describe.each(rowsIn<[string, RegExp['source'], FaultKind, number | null, string[], 'done' | 'failed']>`
- [whose connection is cut after it took effect is done, ., cut-after, ~, [write, look-up], done]
- [that gets half of its answer is done, of a workspace, half-body, ~, [write, look-up], done]
- [whose connection is cut before it took effect is looked up and sent again, of a workspace|safe delete|of a grant, cut-before, ~, [write, look-up, write], done]
- [that is answered with 503 by a proxy is looked up and sent again, of a workspace|safe delete, status, 503, [write, look-up, write], done]
- [that is answered with 429 is sent again without a look-up, of a workspace|safe delete, status, 429, [write, write], done]
- [that is answered with 500 is looked up and not sent again, of a workspace|safe delete, status, 500, [write, look-up], failed]
`)('a write %s', (title, which, kind, status, sent, outcome) => {
  test.each(rows.filter(({ what }) => new RegExp(which).test(what)))(
    `a write ${title}: $what`,
    async (row) => {
      const { result, requests } = await play(row, kind, status ?? undefined);
      const { before = [], lookUp, address } = row;
      expect(requests).toEqual([
        ...before,
        ...sent.map((one) => (one === 'write' ? `${row.method} ${row.path}` : lookUp)),
      ]);
      if (outcome === 'failed')
        expect(result.changes[0]).toMatchObject({ result: 'failed', callsDone: 0, error: { status } });
      else expect([reported(result), notices(result)]).toEqual([[`done ${address} 1`], []]);
    },
  );
});

const seed = {
  projects: { ...projects, Two: 'prj-2' },
  teams,
  'ssh-keys': { deploy: 'sshkey-1' },
  workspaces: {
    app: {
      tags: ['old'],
      'tag-bindings': { owner: 'me' },
      'data-retention': { 'dont-delete': true as const },
    },
    hub: {},
    web: { 'remote-state-consumers': ['hub'] },
  },
  'team-access': granted,
};
const repeated = rowsIn<[what: string, yaml: string, request: string, lookUp: string]>`
- [settings, "workspaces: {app: {description: x}}\n", PATCH /workspaces/<app>, GET /workspaces/<app>]
- [key/value tags and settings in one request, "workspaces: {app: {tag-bindings: {team: sre}, description: x}}\n", PATCH /workspaces/<app>, GET /workspaces/<app>?include=effective_tag_bindings]
- [added key/value tags, "workspaces: {app: {tag-bindings: {add: {team: sre}}}}\n", PATCH /workspaces/<app>/tag-bindings, GET /workspaces/<app>?include=effective_tag_bindings]
- [added tags, "workspaces: {app: {tags: [old, new]}}\n", POST /workspaces/<app>/relationships/tags, GET /workspaces/<app>]
- [removed tags, "workspaces: {app: {tags: []}}\n", DELETE /workspaces/<app>/relationships/tags, GET /workspaces/<app>]
- [replaced consumers, "workspaces: {web: {remote-state-consumers: [app]}}\n", PATCH /workspaces/<web>/relationships/remote-state-consumers, 'GET /workspaces/<web>/relationships/remote-state-consumers?page[size]=100']
- [added consumers, "workspaces: {web: {remote-state-consumers: {add: [app]}}}\n", POST /workspaces/<web>/relationships/remote-state-consumers, 'GET /workspaces/<web>/relationships/remote-state-consumers?page[size]=100']
- [removed consumers, "workspaces: {web: {remote-state-consumers: {remove: [hub]}}}\n", DELETE /workspaces/<web>/relationships/remote-state-consumers, 'GET /workspaces/<web>/relationships/remote-state-consumers?page[size]=100']
- [an SSH key, "ssh-keys: {deploy: sshkey-1}\nworkspaces: {app: {ssh-key: deploy}}\n", PATCH /workspaces/<app>/relationships/ssh-key, GET /workspaces/<app>]
- [data retention, "workspaces: {app: {data-retention: {delete-older-than-days: 7}}}\n", POST /workspaces/<app>/relationships/data-retention-policy, GET /workspaces/<app>/relationships/data-retention-policy]
- [removed data retention, "workspaces: {app: {data-retention: null}}\n", DELETE /workspaces/<app>/relationships/data-retention-policy, GET /workspaces/<app>/relationships/data-retention-policy]
- [the level of a grant, "projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: custom}}\n", PATCH /team-projects/<one/sre>, GET /team-projects/<one/sre>]
- [a project, "projects: {two: {id: prj-2, manage: true, name: Two, description: x}}\n", PATCH /projects/prj-2, GET /projects/prj-2?include=effective_tag_bindings]
- [added key/value tags of a project, "projects: {two: {id: prj-2, manage: true, name: Two, tag-bindings: {add: {team: sre}}}}\n", PATCH /projects/prj-2/tag-bindings, GET /projects/prj-2?include=effective_tag_bindings]
`;

async function playRefused(
  [_what, yaml, request]: (typeof repeated)[number],
  { kind, rest = [] }: { readonly kind: FaultKind; readonly rest?: readonly Fault[] },
) {
  const dialect = /tag-bindings|manage/.test(yaml) ? 'terraform' : 'iac';
  const on = await stage(yaml, { seed: { organization: 'acme', ...seed }, dialect });
  const [method = '', shown = ''] = request.split(' ');
  const path = shown.replace(/<[^>]*>/, '*');
  on.service.setFaults([
    { kind, method, path, nth: 1 },
    { kind: 'status', status: 403, method, path, nth: 2, times: 100 },
    ...rest,
  ]);
  const outcomes: JournalRecord[] = [];
  const append = async (record: JournalRecord) => {
    if (record.record === 'outcome') outcomes.push(record);
  };
  const result = await on.apply({ journal: { append } });
  on.service.setFaults([]);
  return { result, outcomes, requests: await on.requests() };
}

test.each(repeated)('a refused repetition is done if the first attempt took effect: %s', async (...row) => {
  const [, , request, lookUp] = row;
  const { result, outcomes, requests } = await playRefused(row, { kind: 'cut-after' });
  expect(result.changes).toMatchObject([{ result: 'done', callsDone: 1 }]);
  expect(outcomes).toMatchObject([{ result: 'done' }]);
  expect(requests.slice(0, 3)).toEqual([request, request, lookUp]);
});

/** What follows for them does not depend on the kind of setting: one of each way to look up. */
const lookedUp = repeated.filter(([what]) => /^(settings|data retention|removed data|added key)/.test(what));

test.each(lookedUp)(
  'a refused repetition is a failure if the first attempt took no effect: %s',
  async (...row) => {
    const { result, outcomes } = await playRefused(row, { kind: 'cut-before' });
    expect(result.changes).toMatchObject([{ result: 'failed', callsDone: 0, error: { status: 403 } }]);
    expect(result.changes[0]?.error?.code).toBeUndefined();
    expect(outcomes).toMatchObject([{ result: 'failed', error: { status: 403 } }]);
  },
);

test.each(lookedUp)('a refused repetition is unknown if the look-up fails: %s', async (...row) => {
  const rest: Fault[] = [{ kind: 'status', status: 404, method: 'GET' }];
  const { result, outcomes } = await playRefused(row, { kind: 'cut-after', rest });
  expect(result.changes).toMatchObject([
    { result: 'failed', callsDone: 0, error: { code: 'unknown-effect' } },
  ]);
  expect(outcomes).toMatchObject([{ result: 'unknown' }]);
});

test('a refused repetition is unknown if the value is neither as before nor as sent', async () => {
  const on = await stage('workspaces: {app: {description: x}}\n', {
    seed: { organization: 'acme', ...seed },
  });
  on.service.setFaults([
    { kind: 'cut-after', method: 'PATCH', nth: 1 },
    { kind: 'status', status: 409, method: 'PATCH', nth: 2 },
  ]);
  const client: ServiceClient = {
    ...on.client,
    async get(path, query) {
      const body = { data: { type: 'workspaces', attributes: { description: 'y' } } };
      await on.client.send({ method: 'PATCH', path, body });
      return on.client.get(path, query);
    },
  };
  expect(reported(await on.apply({ client }))).toEqual([
    'failed workspace.app 0',
    '  PATCH /workspaces/<id>: the response was lost, the last attempt was answered with 409, and it is unknown whether the call took effect (its description is neither as before nor as sent); plan again: changes that took effect are not repeated',
  ]);
});
