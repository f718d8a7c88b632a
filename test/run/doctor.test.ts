import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { createContext } from '../../src/run/context.ts';
import { diagnose } from '../../src/run/doctor/diagnose.ts';
import { planFiles } from '../../src/run/use-cases.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { connectProxy } from '../support/connect-proxy.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { partialService } from '../support/partial-service.ts';
import { rowsIn } from '../support/rows.ts';
import { serverWith } from '../support/servers.ts';
import { tlsServer } from '../support/tls-server.ts';

const declared = `projects: {platform: prj-1}
teams: {sre: team-1}
workspaces: {network: {remote-state-consumers: []}}
team-access: {platform: {sre: write}}
`;
const seed = { projects: { Platform: 'prj-1' }, teams: { sre: 'team-1' }, workspaces: { network: {} } };

interface Given {
  readonly address: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** The checks of one root file, each as a line. */
async function doctor({ address, env = { ATTUNE_TOKEN: 'test-token' }, text = declared }: Given) {
  const cwd = await folderWith({ 'attune.yaml': `attune: 1\norganization: acme\n${text}` });
  const settings = { cwd, env, address };
  const context = createContext(settings);
  const io = { ...context.io, home: cwd, clock: jumpingClock() };
  const [{ checks } = { checks: [] }] = await diagnose(['attune.yaml'], { ...context, io });
  const line = ({ check, status, evidence, fix }: (typeof checks)[number]) =>
    `${status} ${check}: ${evidence}${fix === undefined ? '' : ` -> ${fix}`}`;
  return { settings, checks, lines: checks.map(line) };
}

const failedIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith('failed'));

test('doctor fails for a certificate that is not trusted, and shows how to trust its CA', async () => {
  const { port } = await tlsServer((_, response) => response.end());
  const { lines } = await doctor({ address: `https://localhost:${port}` });
  expect(failedIn(lines)).toEqual([
    `failed tls: the TLS certificate of localhost:${port} is not trusted: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT) -> set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it`,
  ]);
  for (const check of ['connection', 'token'])
    expect(lines).toContain(`skipped ${check}: there is no trusted TLS connection`);
});

test('doctor shows the proxy without its password, and what the proxy refuses', async () => {
  const proxy = await connectProxy({ port: 1, status: 403 });
  const env = { ATTUNE_TOKEN: 'test-token', HTTPS_PROXY: `http://anna:hidden@${proxy.host}` };
  const { lines } = await doctor({ address: 'https://iac.example.com', env });
  expect(lines).toContainEqual(
    expect.stringMatching(/^ok proxy: http:\/\/anna:\*+@127\.0\.0\.1:\d+ \(HTTPS_PROXY\)$/),
  );
  expect(lines.join()).not.toContain('hidden');
  expect(failedIn(lines)).toEqual([expect.stringMatching(/^failed connection: .*403/)]);
});

interface Row {
  readonly title: string;
  readonly text?: string;
  /** Faults of the service, and what it lacks: paths it does not know, and those that it refuses as not found. */
  readonly faults?: EmulatorOptions['faults'];
  readonly unknown?: readonly string[];
  readonly forbidden?: readonly string[];
  readonly seed?: EmulatorOptions['seed'];
  /** Some of the lines, and all that failed. */
  readonly lines: readonly string[];
}

test.each(rowsIn<Row>`
- title: a feature that the service lacks and the configuration declares
  unknown: [team-projects, account]
  lines:
    - "ok token: ATTUNE_TOKEN: accepted, the service does not show whose it is"
    - "ok features: offers remote-state-consumers, projects, setting-overwrites; does not offer team-access, tag-bindings; not shown without a write or an example: safe-delete, data-retention"
- title: a name that the service does not have
  text: "projects: {platform: {name: Platfrom}}\nworkspaces: {network: {}}\nteam-access: {platform: {team-1: read}}\n"
  lines:
    - 'failed names: "Platfrom" is not the name of a project of acme that this token may see -> did you mean "Platform"?'
    - "skipped permissions: not all names are known"
- title: a token that only the account refuses with 401
  faults: [{kind: status, status: 401, path: /account/details}]
  lines: ["failed token: GET /account/details answered 401: the token is missing or not valid -> set ATTUNE_TOKEN to a token that is valid for SERVICE"]
- title: a token that may not read the settings of the organization, but its workspaces
  faults: [{kind: status, status: 403, path: /organizations/acme}]
  lines: ["warning organization: acme: the workspaces are readable, 1 visible workspace, and the settings are not -> use a token that is a member of the organization"]
- {title: an organization that is unknown, unknown: [GET /organizations/acme$], lines: ["ok organization: acme: the workspaces are readable, 1 visible workspace"]}
- {title: an organization that is not found, forbidden: [GET /organizations/acme$], lines: ["ok organization: acme: the workspaces are readable, 1 visible workspace"]}
- {title: an organization that is unknown and empty, text: "workspaces: {network: {}}\n", unknown: [GET /organizations/acme$], seed: {}, lines: ["ok organization: acme: the workspaces are readable, 0 visible workspaces"]}
- {title: an organization that is not found and empty, text: "workspaces: {network: {}}\n", forbidden: [GET /organizations/acme$], seed: {}, lines: ["ok organization: acme: the workspaces are readable, 0 visible workspaces"]}
`)(
  'doctor shows $title',
  async ({ text, faults, unknown = [], forbidden = [], seed: own = seed, lines: some }) => {
    const service = await serviceWith({ seed: own, ...(faults && { faults }) });
    const patterns = (list: readonly string[]) => list.map((one) => new RegExp(one));
    const lacks = { unknown: patterns(unknown), forbidden: patterns(forbidden) };
    const address = await partialService(service.url, lacks);
    const { lines } = await doctor({ address, ...(text !== undefined && { text }) });
    const printed = lines.map((line) => line.replace(new URL(address).host, 'SERVICE'));
    expect(printed).toEqual(expect.arrayContaining([...some]));
    expect(failedIn(printed)).toEqual(failedIn(some));
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

test.each(rowsIn<{ what: string; text: string; seed: object; token: object; failed: string }>`
- what: a move into a project that the token may not move workspaces to
  text: "projects: {a: prj-a, b: prj-b}\nworkspaces: {one: {project: b}}\n"
  seed: {team-access: {a: {sre: admin}, b: {sre: read}}, workspaces: {one: {project: a}}}
  token: {role: workspace-admin, workspaces: [one], teams: [sre]}
  failed: "move workspaces: can-move-workspace is false for 1 of 2: b"
- what: a lock to remove
  text: "workspaces: {one: {lock: false}}\n"
  seed: {workspaces: {one: {locked: true}}}
  token: {role: reader}
  failed: "unlock workspaces: can-unlock is false for 1 of 1: one"
- what: tags of a workspace
  text: "workspaces: {one: {tags: [prod]}}\n"
  seed: {workspaces: {one: {}}}
  token: {role: reader}
  failed: "manage tags: can-manage-tags is false for 1 of 1: one"
- what: key/value tags of a workspace
  text: "workspaces: {one: {tag-bindings: {env: prod}}}\n"
  seed: {workspaces: {one: {}}}
  token: {role: reader}
  failed: "manage key/value tags: can-update or can-manage-tags is false for 1 of 1: one"
`)('doctor fails exactly for what plan refuses: $what', async ({ text, seed: own, token, failed }) => {
  const base = {
    projects: { a: 'prj-a', b: 'prj-b' },
    teams: { sre: 'team-sre' },
    tokens: { 'test-token': token },
  };
  const service = await serviceWith({
    dialect: 'terraform',
    seed: { ...base, ...own } as EmulatorOptions['seed'] & object,
  });
  const { lines, settings } = await doctor({ address: service.url, text });
  const fix = expect.stringMatching(new RegExp(`^failed ${failed} -> `));
  expect(failedIn(lines)).toEqual([fix]);
  const { report } = await planFiles(['attune.yaml'], settings);
  const codes = report.entries.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code));
  expect(codes).toContain('not-permitted');
});

const json = (body: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/vnd.api+json' }).end(body);
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end();
const unusable: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'a redirect': status(302, { location: 'https://login.example.com/' }),
  'a page of HTML': json('<html><h1>Sign in</h1></html>'),
  'a JSON text': json('"OK"'),
  'a JSON array': json('[]'),
  'no content': status(204),
  'a service failure': status(500),
  'a broken connection': (response) => response.destroy(),
  'half an answer': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"data":');
    response.destroy();
  },
};
/** Answers that some requests may get. */
const doubtful: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'an empty document': json('{}'),
  'a list of nothing': json('{"data":[null]}'),
  'an object with attributes that are a list': json('{"data":{"id":"x-1","type":"things","attributes":[]}}'),
  'totals that are texts': json('{"data":[],"meta":{"pagination":{"total-count":"many"}}}'),
  'a 404 without a document': status(404),
  'a refusal': status(403),
  'a bad token': status(401),
};
const text = declared.replace('workspaces: {', 'workspaces: {new: {project: platform}, ');

/** Answers one request, counted from 0, in another way, and all others as the embedded service does. */
async function disturbed(target: string) {
  const state = { disturbedAt: -1, requests: 0, answer: (_: ServerResponse): unknown => undefined };
  const paths: string[] = [];
  const address = await serverWith(async (request, response) => {
    const path = String(request.url);
    const isNew = !paths.includes(path);
    if (isNew) paths.push(path);
    // A retry of the same request gets the same answer.
    if (paths.indexOf(path) === state.disturbedAt) return state.answer(response);
    // A request that doctor no longer waits for can outlive the service.
    const answer = await fetch(target + path, { headers: { authorization: 'Bearer test-token' } }).catch(
      () => undefined,
    );
    if (answer === undefined) return response.destroy();
    return response.writeHead(answer.status).end(await answer.text());
  });
  return {
    paths,
    async run(index: number, answer: (response: ServerResponse) => unknown) {
      paths.length = 0;
      Object.assign(state, { disturbedAt: index, answer });
      return doctor({ address, text });
    },
  };
}

const always = 'configuration address proxy tls connection token organization dialect features limits'.split(
  ' ',
);

const answers = [
  ...Object.entries(unusable).map(([name, answer]) => ({ name, answer, mayPass: false })),
  ...Object.entries(doubtful).map(([name, answer]) => ({ name, answer, mayPass: true })),
];

let requests: number | undefined;

// Each request gets every tenth of the answers.
test.each(answers.map((one, index) => ({ ...one, first: index % 10 })))(
  'doctor has one result for each check if any request is answered with $name',
  async ({ answer, mayPass, first }) => {
    const service = await serviceWith({ seed });
    const server = await disturbed(service.url);
    if (requests === undefined) await server.run(-1, answer);
    requests ??= server.paths.length;
    expect(requests).toBeGreaterThan(9);
    for (let index = first; index < requests; index += 10) {
      const found = await server.run(index, answer);
      const names = found.checks.map(({ check }) => check);
      const at = server.paths[index];
      const isFailed = failedIn(found.lines).length > 0;
      expect([at, mayPass || isFailed]).toEqual([at, true]);
      expect([at, names]).toEqual([at, [...new Set(names)]]);
      expect([at, names]).toEqual([at, expect.arrayContaining(always)]);
    }
  },
);
