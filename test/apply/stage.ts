import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { type ApplyOptions, applyPlan } from '../../src/apply/apply-plan.ts';
import { loadConfig } from '../../src/desired/load-config.ts';
import type { Emulator, EmulatorOptions } from '../../src/emulator/index.ts';
import { serviceSource } from '../../src/live/read-live.ts';
import type { ApplyResult } from '../../src/model/apply-result.ts';
import type { Plan, WriteRequest } from '../../src/model/plan.ts';
import { makePlan } from '../../src/run/make-plan.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import { asResourceObject, relatedId } from '../../src/service/documents.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { type JumpingClock, jumpingClock } from '../support/fake-clock.ts';

/** A plan between its making and its apply, with the service that it is for. */
export interface Stage {
  readonly plan: Plan;
  readonly service: Emulator;
  readonly client: ServiceClient;
  readonly clock: JumpingClock;
  /** Applies the plan, by default one call at a time, with live data that was just read. */
  apply(options?: Partial<ApplyOptions>): Promise<ApplyResult>;
  /** Sends a request of another user, as `PATCH /workspaces/<app> {data: ...}`, names instead of ids. */
  send(request: string): Promise<void>;
  /** A text with ids instead of names in angle brackets. */
  withIds(text: string): string;
  /** A text with names in angle brackets instead of ids. */
  withNames(text: string): string;
  /** The requests since the plan was made, as `POST /workspaces/<app>/actions/lock`, names instead of ids. */
  requests(): Promise<string[]>;
  /** Those of them that write. */
  writes(): Promise<string[]>;
  /** What the service has, by name. */
  workspaces(): Promise<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * @param yaml the part below `attune` and `organization`
 * @param now the time of the plan
 */
export async function stage(yaml: string, options: EmulatorOptions, now = new Date()): Promise<Stage> {
  const folder = await folderWith({ 'attune.yaml': `attune: 1\norganization: acme\n${yaml}` });
  const service = await serviceWith(options);
  const clock = jumpingClock();
  const client = createServiceClient({ address: new URL(service.url), token: 'test-token', clock });
  onTestFinished(() => client.close());

  const { configurations, diagnostics } = await loadConfig('attune.yaml', { cwd: folder });
  const [configuration] = configurations;
  if (configuration === undefined) throw new Error(JSON.stringify(diagnostics));
  const plan = await makePlan(configuration, {
    source: serviceSource(client),
    address: service.url,
    only: [],
    maxDeletes: 1000,
    now,
  });
  const readAt = clock.now();
  const names = new Map<string, string>();
  const all = async () => {
    const { data } = await client.get('/organizations/acme/workspaces', { 'page[size]': 100 });
    const objects = (data as unknown[]).flatMap((item) => asResourceObject(item) ?? []);
    for (const { id, attributes } of objects) names.set(id, `<${attributes.name}>`);
    return objects;
  };
  await all();
  for (const change of plan.changes)
    if (change.kind === 'team-access' && change.id) names.set(change.id, `<${change.name}>`);
  service.clearRequests();

  const withIds = (text: string) => [...names].reduce((all, [id, name]) => all.replaceAll(name, id), text);
  const withNames = (text: string) =>
    [...names]
      .reduce((all, [id, name]) => all.replaceAll(id, name), text)
      .replaceAll(/(ws|tprj|prj)-[A-Za-z0-9]{16}/g, '<id>');
  const send = async (request: string) => {
    const [, project] = /<(prj-[^/]*)\/[^>]*>/.exec(request) ?? [];
    if (project !== undefined) {
      const { data } = await client.get('/team-projects', { 'filter[project][id]': project });
      const grants = (data as unknown[]).flatMap((item) => asResourceObject(item) ?? []);
      for (const grant of grants) names.set(grant.id, `<${project}/${relatedId(grant, 'team')}>`);
    }
    const [, method = '', path = '', body = ''] = /^(\S+) (\S+) ?(.*)$/.exec(withIds(request)) ?? [];
    await client.send({ method, path, ...(body && { body: parse(body) }) } as WriteRequest);
  };
  const requests = async () => {
    const seen = service.requests.map(({ method, path }) => `${method} ${path}`);
    await all();
    return seen.map((request) => [...names].reduce((text, [id, name]) => text.replaceAll(id, name), request));
  };
  return {
    plan,
    service,
    client,
    clock,
    apply: (rest = {}) => applyPlan(plan, { client, clock, parallelism: 1, readAt, ...rest }),
    ...{ requests, send, withIds, withNames },
    writes: async () => (await requests()).filter((request) => !request.startsWith('GET ')),
    workspaces: async () =>
      Object.fromEntries((await all()).map(({ attributes }) => [String(attributes.name), attributes])),
  };
}

/** What became of each change, as `done workspace.app 2`, with the error on a separate line. */
export function reported({ changes }: ApplyResult): string[] {
  return changes.flatMap(({ result, address, callsDone, error }) => [
    `${result} ${address} ${callsDone}`,
    ...(error ? [`  ${error.message.replaceAll(/(ws|tprj|prj)-[A-Za-z0-9]{16}/g, '<id>')}`] : []),
  ]);
}

export function notices({ diagnostics }: ApplyResult): string[] {
  return diagnostics.map(({ severity, code, message }) => `${severity}[${code}]: ${message}`);
}
