import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { OrganizationSeed, TokenSeed } from '../../src/emulator/seed/seed.ts';
import { nodeNote } from '../../src/run/doctor/diagnose.ts';
import { folderWith, attune as run, worldWith } from '../support/attune.ts';
import { connectProxy } from '../support/connect-proxy.ts';
import { documentErrors } from '../support/document-errors.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { partialService } from '../support/partial-service.ts';
import { serverWith } from '../support/servers.ts';
import { tlsServer } from '../support/tls-server.ts';

const files = `attune: 1
organization: acme
projects: {platform: prj-1}
teams: {sre: team-1}
workspaces: {network: {remote-state-consumers: []}}
team-access: {platform: {sre: write}}
`;
const seed = { projects: { Platform: 'prj-1' }, teams: { sre: 'team-1' }, workspaces: { network: {} } };

interface Given {
  readonly address?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly text?: string;
}

async function doctor({ address, env = { ATTUNE_TOKEN: 'test-token' }, text = files }: Given) {
  const cwd = await folderWith({ 'attune.yaml': text });
  const argv = ['doctor', ...(address === undefined ? [] : ['--address', address])];
  return run(argv, { cwd, env, clock: jumpingClock() });
}

test('doctor fails for a token that the service does not accept, and skips what depends on it', async () => {
  const { service } = await worldWith(files, { seed: { ...seed, tokens: { other: { role: 'owner' } } } });
  const { code, stdout } = await doctor({ address: service.url });
  expect(code).toBe(1);
  expect(stdout.replaceAll(service.url, 'http://service')).toBe(`acme  attune.yaml

  ok       configuration  valid: 1 workspace, 1 grant, 0 managed projects
  ok       address        http://service (--address)
  ok       proxy          none: the address is reached directly
  ok       tls            not used: http to a loopback address
  ok       connection     GET /organizations/acme/workspaces was answered
  failed   token          ATTUNE_TOKEN: the service does not accept it (401)
                          fix: create a new token, and set it there
  skipped  organization   the token is not valid
  skipped  dialect        the token is not valid
  skipped  features       the token is not valid
  skipped  limits         the token is not valid
  skipped  clock          the token is not valid
  skipped  permissions    the token is not valid

12 checks: 5 ok, 1 failed, 6 skipped.
`);
  expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('doctor warns if the clock of the machine differs from the clock of the service', async () => {
  const late = () => new Date(Date.now() + 600_000);
  const { attune } = await worldWith(files, { seed }, { date: late });
  const { stdout } = await attune('doctor');
  expect(stdout).toMatch(/ {2}warning {2}clock +differs by (599|600|601) s from the clock of the service\n/);
});

test('doctor names the variables for a token that is not set', async () => {
  const { stdout } = await doctor({ address: 'https://iac.example.com', env: {} });
  expect(stdout).toContain(`failed   token          cannot connect to iac.example.com: no token is set
                          fix: set ATTUNE_TOKEN (or TFE_TOKEN, or TF_TOKEN_iac_example_com), or run \`terraform login iac.example.com\`
  skipped  tls            there is no token to send
`);
});

test('doctor fails for a certificate that is not trusted, and shows how to trust its CA', async () => {
  const { port } = await tlsServer((_, response) => response.end());
  const { code, stdout } = await doctor({ address: `https://localhost:${port}` });
  expect(code).toBe(1);
  expect(stdout.replaceAll(String(port), '8443')).toContain(
    `failed   tls            the TLS certificate of localhost:8443 is not trusted: it is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)
                          fix: set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it
  skipped  connection     there is no trusted TLS connection
  skipped  token          there is no trusted TLS connection
`,
  );
});

test('doctor shows the proxy without its password, and what the proxy refuses', async () => {
  const proxy = await connectProxy({ port: 1, status: 403 });
  const env = { ATTUNE_TOKEN: 'test-token', HTTPS_PROXY: `http://anna:hidden@${proxy.host}` };
  const { stdout } = await doctor({ address: 'https://iac.example.com', env });
  expect(stdout).toMatch(/ok {7}proxy {10}http:\/\/anna:\*+@127\.0\.0\.1:\d+ \(HTTPS_PROXY\)/);
  expect(stdout).not.toContain('hidden');
  expect(stdout).toMatch(/failed {3}connection .*403/);
});

test('doctor fails for a feature that the service lacks and the configuration declares', async () => {
  const { service } = await worldWith(files, { seed });
  const address = await partialService(service.url, { unknown: [/team-projects/, /account/] });
  const { code, stdout } = await doctor({ address });
  expect(code).toBe(1);
  expect(stdout).toContain(
    'ok       token               ATTUNE_TOKEN: accepted, the service does not show whose it is\n',
  );
  expect(stdout).toContain(
    `failed   features            offers remote-state-consumers, safe-delete, projects; does not offer team-access, tag-bindings; not shown without a write or an example: data-retention, setting-overwrites; team-access.platform/sre declares project team access
                               fix: remove project team access from the configuration, or use a service that offers it
`,
  );
  expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('doctor fails for a name that the service does not have, and checks no permissions', async () => {
  const { service } = await worldWith(files, { seed });
  const text = files.replace('prj-1', '{name: Platfrom}');
  const { code, stdout } = await doctor({ address: service.url, text });
  expect(code).toBe(1);
  expect(
    stdout,
  ).toContain(`failed   names          "Platfrom" is not the name of a project of acme that this token may see
                          fix: did you mean "Platform"?`);
  expect(stdout).toContain('skipped  permissions    not all names are known\n');
});

test('doctor --format json prints one document of the published schema, also without an address', async () => {
  const cwd = await folderWith({ 'attune.yaml': files });
  const { code, stdout } = await run(['doctor', '--format', 'json'], { cwd });
  const document = JSON.parse(stdout);
  expect([code, documentErrors(document)]).toEqual([1, []]);
  expect(document.organizations[0].checks[1]).toEqual({
    check: 'address',
    status: 'failed',
    evidence: 'no address is set',
    fix: 'set service.address, ATTUNE_ADDRESS or --address; use `embedded` for a trial without an account',
  });
});

test('doctor passes for the embedded service, which needs no token', async () => {
  const { code, stdout } = await doctor({
    address: 'embedded',
    env: {},
    text: 'attune: 1\norganization: acme\n',
  });
  expect(code).toBe(0);
  expect(
    stdout,
  ).toContain(`  ok       address        embedded, with its data in .attune/embedded.json (--address)
  ok       proxy          none: the embedded service is in this process
  ok       tls            not used: the embedded service is in this process
  ok       connection     GET /organizations/acme/workspaces was answered
  ok       token          none is needed
`);
  expect(stdout).toContain('  skipped  permissions    nothing declared needs one\n');
});

test('doctor fails for a token that only the account refuses with 401', async () => {
  const { service } = await worldWith(files, { seed });
  service.setFaults([{ kind: 'status', status: 401, path: '/account/details' }]);
  const { code, stdout } = await doctor({ address: service.url });
  expect(code).toBe(1);
  expect(stdout).toContain(
    'failed   token               GET /account/details answered 401: the token is missing or not valid\n',
  );
});

test('doctor warns if the token may not read the settings of the organization, but its workspaces', async () => {
  const { service } = await worldWith(files, { seed });
  service.setFaults([{ kind: 'status', status: 403, path: '/organizations/acme' }]);
  const { code, stdout } = await doctor({ address: service.url });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'warning  organization        acme: the workspaces are readable, 1 visible workspace, and the settings are not\n',
  );
});

test.each([
  ['a page of text', { unknown: [/GET \/organizations\/acme$/] }],
  ['a JSON:API document', { forbidden: [/GET \/organizations\/acme$/] }],
] as const)('doctor passes on a service that answers 404 with %s for the organization', async (_, lacks) => {
  const text = 'attune: 1\norganization: acme\nworkspaces: {network: {}}\n';
  for (const workspaces of [{}, { network: {} }]) {
    const { service } = await worldWith(text, { seed: { workspaces } });
    const { code, stdout } = await doctor({ address: await partialService(service.url, lacks), text });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/ok {7}organization .*the workspaces are readable/),
    ]);
  }
});

describe('doctor with a service whose answers are not those of the interface', () => {
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
    'an object with attributes that are a list': json(
      '{"data":{"id":"x-1","type":"things","attributes":[]}}',
    ),
    'totals that are texts': json('{"data":[],"meta":{"pagination":{"total-count":"many"}}}'),
    'a 404 without a document': status(404),
    'a refusal': status(403),
    'a bad token': status(401),
  };
  const text = files.replace('workspaces: {', 'workspaces: {new: {project: platform}, ');

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
      const answer = await fetch(target + path, { headers: { authorization: 'Bearer test-token' } });
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

  const checks = [
    'configuration',
    'address',
    'proxy',
    'tls',
    'connection',
    'token',
    'organization',
    'dialect',
  ];
  const later = ['features', 'limits', 'clock'];

  const answers = [
    ...Object.entries(unusable).map(([name, answer]) => ({ name, answer, codes: [1] })),
    ...Object.entries(doubtful).map(([name, answer]) => ({ name, answer, codes: [0, 1] })),
  ];

  // Each request gets every sixth of the answers.
  test.each(answers.map((one, index) => ({ ...one, first: index % 6 })))(
    'doctor prints one line for each check if any request is answered with $name',
    async ({ answer, codes, first }) => {
      const { service } = await worldWith(files, { seed });
      const server = await disturbed(service.url);
      await server.run(-1, answer);
      const requests = server.paths.length;
      expect(requests).toBeGreaterThan(7);
      for (let index = first; index < requests; index += 6) {
        const { code, stdout, stderr } = await server.run(index, answer);
        const printed = [...stdout.matchAll(/^ {2}(?:ok|failed|warning|skipped) +([a-z][a-z -]*?) {2}/gm)];
        const names = printed.map(([, name]) => name);
        const at = server.paths[index];
        expect([at, codes.includes(code), stderr]).toEqual([at, true, '']);
        expect([at, names]).toEqual([at, [...new Set(names)]]);
        expect([at, names]).toEqual([at, expect.arrayContaining([...checks, ...later])]);
      }
    },
  );
});

test.each([
  ['0.7', '600 requests per second (X-RateLimit-Limit)'],
  ['41.5', '600 requests per window of at least 42 s (X-RateLimit-Limit)'],
])(
  'doctor shows the announced limit per second or longer window, by a reset of %s s',
  async (reset, text) => {
    const { service } = await worldWith(files, { seed });
    const address = await serverWith(async (request, response) => {
      const headers = { authorization: 'Bearer test-token' };
      const answer = await fetch(service.url + request.url, { headers });
      const limit = { 'x-ratelimit-limit': '600', 'x-ratelimit-reset': reset };
      response.writeHead(answer.status, limit).end(await answer.text());
    });
    const { stdout } = await doctor({ address });
    expect(stdout).toContain(`  limits              ${text}\n`);
  },
);

test.each([
  ['20.19.0', true],
  ['21.7.0', true],
  ['22.12.0', false],
  ['23.1.0', true],
  ['24.0.0', false],
  ['26.0.0', false],
])('doctor prints a note on Node %s if it no longer gets security fixes: %s', (version, isNoted) => {
  expect(nodeNote(version)).toBe(
    isNoted ? `note: Node ${version} no longer gets security fixes; use Node 24` : undefined,
  );
});

interface Refusal {
  readonly declared: string;
  readonly text: string;
  readonly seed: OrganizationSeed;
  readonly token: TokenSeed;
  readonly failed: readonly string[];
}

const refusals: readonly Refusal[] = [
  {
    declared: 'a move into a project that the token may not move workspaces to',
    text: 'projects: {a: prj-a, b: prj-b}\nworkspaces: {one: {project: b}}',
    seed: {
      'team-access': { a: { sre: 'admin' }, b: { sre: 'read' } },
      workspaces: { one: { project: 'a' } },
    },
    token: { role: 'workspace-admin', workspaces: ['one'], teams: ['sre'] },
    failed: ['move workspaces  can-move-workspace is false for 1 of 2: b'],
  },
  {
    declared: 'a lock to remove',
    text: 'workspaces: {one: {lock: false}}',
    seed: { workspaces: { one: { locked: true } } },
    token: { role: 'reader' },
    failed: ['unlock workspaces  can-unlock is false for 1 of 1: one'],
  },
  {
    declared: 'tags of a workspace',
    text: 'workspaces: {one: {tags: [prod]}}',
    seed: { workspaces: { one: {} } },
    token: { role: 'reader' },
    failed: ['manage tags    can-manage-tags is false for 1 of 1: one'],
  },
  {
    declared: 'key/value tags of a workspace',
    text: 'workspaces: {one: {tag-bindings: {env: prod}}}',
    seed: { workspaces: { one: {} } },
    token: { role: 'reader' },
    failed: ['manage key/value tags  can-update or can-manage-tags is false for 1 of 1: one'],
  },
];

test.each(refusals)(
  'doctor fails exactly for what plan refuses: $declared',
  async ({ text, seed, token, failed }) => {
    const projects = { a: 'prj-a', b: 'prj-b' };
    const { attune } = await worldWith(`attune: 1\norganization: acme\n${text}\n`, {
      dialect: 'terraform',
      seed: { projects, teams: { sre: 'team-sre' }, ...seed, tokens: { 'test-token': token } },
    });
    expect((await attune('plan')).stderr).toContain('error[not-permitted]');
    const { code, stdout } = await attune('doctor');
    const lines = [...stdout.matchAll(/^ {2}failed +(.*)$/gm)].map(([, line]) => line);
    expect([code, lines]).toEqual([1, failed]);
  },
);
