import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { serverWith } from '../support/servers.ts';
import { type LogLine, type Pause, simulateWatch } from '../support/simulate-watch.ts';

const hour = 3_600_000;

/** The window is from hour 2 to hour 4 of the simulation, and the exception ends at its hour 6. */
const file = `attune: 1
organization: acme
notify: [{to: webhook, url-env: HOOK, on: [attention]}]
freeze:
  - {from: 2026-01-05T02:00:00Z, to: 2026-01-05T04:00:00Z, reason: audit, select: {tag: prod}}
exceptions:
  - {address: workspace.api, field: auto-apply, until: 2026-01-05T06:00:00Z, reason: INC-7}
workspaces:
  app: {tags: [prod], description: new}
  web: {description: new}
  legacy: {state: absent}
  api: {auto-apply: false, description: new}
`;

const seed = {
  organization: 'acme',
  workspaces: {
    app: { id: 'ws-app', description: 'new', tags: ['prod'] },
    web: { id: 'ws-web', description: 'new' },
    legacy: { id: 'ws-legacy', tags: ['prod'] },
    api: { id: 'ws-api', 'auto-apply': true, description: 'old' },
  },
} as const;

async function world(mode: string, content = file) {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': content });
  const messages: unknown[] = [];
  const hook = await serverWith(async (request, response) => {
    const message = JSON.parse(await text(request));
    const line = message.lines.find((one: string) => one.startsWith('held by freeze'));
    messages.push([`${message.event}: ${message.title}`, line]);
    response.end();
  });
  const env = { ATTUNE_TOKEN: 'test-token', HOOK: `${hook}/` };
  const written: string[] = [];
  const update = async (id: string, attributes: object) => {
    await sendTo(service, 'PATCH', `/workspaces/${id}`, workspaceBody(attributes));
    service.clearRequests();
  };
  const watch = (between: (hours: number, pause: Pause) => Promise<void> | void) =>
    simulateWatch({
      cwd,
      argv: ['--address', service.url, '--heal', mode, '--interval', '1h', '--jitter', '0%'],
      env,
      between: async (pause) => {
        const hours = pause.time / hour;
        for (const { method, path } of service.requests)
          if (method !== 'GET') written.push(`${Math.floor(hours)} ${method} ${path.replace('/api/v2', '')}`);
        service.clearRequests();
        await between(Math.floor(hours), pause);
      },
    });
  return { service, watch, written, update, messages };
}

const heldOf = (lines: readonly LogLine[]) =>
  lines.flatMap(({ event, action, address, by, until, fields }) =>
    event === 'held' ? [`${action} ${address} ${by} ${until ?? '-'} ${fields ?? 'all'}`] : [],
  );

test('watch --heal all writes nothing that a freeze window or an exception holds back', async () => {
  const { watch, written, update, messages } = await world('all');
  const { lines } = await watch(async (hours, { stop, lines: fresh }) => {
    expect(fresh.filter(({ level }) => level === 'error')).toEqual([]);
    // In the window, another client changes a frozen workspace and one that is not.
    if (hours === 2) await update('ws-app', { description: 'manual' });
    if (hours === 2) await update('ws-web', { description: 'manual' });
    if (hours === 7) stop();
  });
  expect(written).toEqual([
    '0 PATCH /workspaces/ws-api',
    '1 POST /workspaces/ws-legacy/actions/safe-delete',
    '3 PATCH /workspaces/ws-web',
    '4 PATCH /workspaces/ws-app',
    '6 PATCH /workspaces/ws-api',
  ]);
  expect([...new Set(heldOf(lines))]).toEqual([
    'update workspace.api exception 2026-01-05T06:00:00Z auto-apply',
    'update workspace.app freeze 2026-01-05T04:00:00Z all',
  ]);
  expect(messages).toEqual([
    ['attention: acme: attune watch found changes that need attention', undefined],
    ['resolved: acme: attune watch has nothing more to report', undefined],
    [
      'attention: acme: attune watch found changes that need attention',
      'held by freeze window until 2026-01-05T04:00:00Z: audit: workspace.app',
    ],
    ['resolved: acme: attune watch has nothing more to report', undefined],
  ]);
});

test('watch --heal none counts known differences apart, and shows what a window would hold as drift', async () => {
  const { watch, written } = await world('none');
  await watch(async (hours, { metrics, stop }) => {
    if (hours !== 3) return;
    const samples = await metrics();
    const updates = 'attune_drift_changes{action="update",kind="workspace",organization="acme"}';
    // api has a difference beside the known one.
    expect(samples.get(updates)).toBe(1);
    stop();
  });
  expect(written).toEqual([]);
});
