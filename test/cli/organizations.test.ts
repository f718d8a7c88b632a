import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { forward, serverWith } from '../support/servers.ts';

const root = (organization: string, rest = 'workspaces: {app: {auto-apply: true}}') =>
  `attune: 1\norganization: ${organization}\n${rest}\n`;
const files = { 'acme/attune.yaml': root('acme'), 'emea/attune.yaml': root('acme-emea') };
const seed = {
  organizations: { acme: { workspaces: { app: {} } }, 'acme-emea': { workspaces: { app: {} } } },
};
const env = { ATTUNE_TOKEN: 'test-token' };

test.each([
  ['shares the pace of the other where the token is the same', {}, [100]],
  ['goes at its own pace with a token of its own', { ATTUNE_TOKEN_ACME_EMEA: 'another-token' }, []],
])('an organization %s', async (_, own, waits) => {
  const service = await serviceWith({ seed });
  const clock = jumpingClock();
  const { code } = await attune(['plan', 'acme', 'emea', '--rate', '10', '--address', service.url], {
    cwd: await folderWith(files),
    env: { ...env, ...own },
    clock,
  });
  expect([code, clock.slept]).toEqual([0, waits]);
});

test('organizations with different tokens are read at the same time, however many they are', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `acme-${index}`);
  const waiting: (() => void)[] = [];
  const address = await serverWith((_request, response) => {
    waiting.push(() => response.writeHead(403).end());
    // Nothing is answered before every organization has asked.
    if (waiting.length === names.length) for (const answer of waiting) answer();
  });
  const cwd = await folderWith(
    Object.fromEntries(names.map((name) => [`${name}.yaml`, root(name, 'workspaces: {app: {}}')])),
  );
  const env = Object.fromEntries(
    names.map((name, index) => [`ATTUNE_TOKEN_${name.toUpperCase().replace('-', '_')}`, `token-${index}`]),
  );
  const files = names.map((name) => `${name}.yaml`);
  const { stderr } = await attune(['plan', ...files, '--address', address], { cwd, env });
  expect(stderr.match(/answered 403/g)).toHaveLength(names.length);
});

test('the lowest rate of the files that share a token applies', async () => {
  const service = await serviceWith({ seed });
  const clock = jumpingClock();
  const paced = (organization: string, rate: string) =>
    root(organization, `service: {address: "${service.url}"${rate}}\nworkspaces: {app: {}}`);
  const cwd = await folderWith({
    'acme/attune.yaml': paced('acme', ''),
    'emea/attune.yaml': paced('acme-emea', ', rate: 4'),
  });
  expect((await attune(['plan', 'acme', 'emea'], { cwd, env, clock })).code).toBe(0);
  expect(clock.slept).toEqual([250]);
});

test('organizations with the same token are read concurrently', async () => {
  const service = await serviceWith({ seed });
  const two = 'workspaces: {app: {auto-apply: true}, web: {state: absent}}';
  let isFirst = true;
  const address = await gateBefore(service.url, ({ url = '' }) => {
    // The first request of a token is sent alone.
    if (isFirst) isFirst = false;
    else return url.includes('/acme-emea/') ? 'opens' : 'waits';
    return 'passes';
  });
  const { code } = await attune(['plan', 'acme', 'emea', '--address', address], {
    cwd: await folderWith({
      'acme/attune.yaml': root('acme', two),
      'emea/attune.yaml': root('acme-emea', two),
    }),
    env,
  });
  expect(code).toBe(0);
});

test('organizations are written concurrently, reported in the order of their root files, and one that fails does not stop another', async () => {
  const service = await serviceWith({ seed });
  service.setFaults([{ kind: 'status', method: 'PATCH', status: 422, detail: 'no', nth: 1 }]);
  const ids = new Set<string>();
  // The first workspace that is written waits for the second, and the service refuses the second, which it sees first.
  const address = await gateBefore(service.url, ({ method, url = '' }) => {
    if (method !== 'PATCH') return 'passes';
    ids.add(url);
    return ids.size === 2 ? 'opens' : 'waits';
  });
  const run = (...flags: string[]) =>
    attune(['apply', 'acme', 'emea', '--yes', '--address', address, '--format', 'json', ...flags], {
      cwd,
      env,
    });
  const cwd = await folderWith(files);
  const { code, stdout } = await run();
  const { plans } = JSON.parse(stdout) as {
    plans: { organization: string; changes: { result: string }[] }[];
  };
  expect([code, plans.map(({ organization }) => organization)]).toEqual([1, ['acme', 'acme-emea']]);
  const results = plans.map(({ changes }) => changes.map(({ result }) => result).join());
  expect(results.sort()).toEqual(['done', 'failed']);
});

/** The address of a server before a service. Requests that wait are answered after one that opens has arrived. */
async function gateBefore(
  service: string,
  decide: (request: IncomingMessage) => 'waits' | 'opens' | 'passes',
): Promise<string> {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return serverWith(async (request, response) => {
    const decision = decide(request);
    const body = await text(request);
    if (decision === 'waits') await opened;
    const answer = await forward(service, request, body);
    if (decision === 'opens') open();
    response.writeHead(answer.status, { 'content-type': 'application/vnd.api+json' });
    response.end(answer.text);
  });
}
