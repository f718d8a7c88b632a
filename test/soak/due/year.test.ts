import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RequestEntry } from '../../../src/emulator/index.ts';
import { ask, grantId, sendTo, workspaceBody } from '../../support/ask.ts';
import { attune, folderWith, serviceWith } from '../../support/attune.ts';
import { random } from '../../support/random.ts';

/*
 * A leap year of nights. Each runs what the CI recipes run, `apply --due`, on files that change, on a service that another
 * client changes. The test computes what is due without the code of the product, and expects these writes and no other one.
 */

const hour = 3_600_000;
const day = 24 * hour;
const at = (time: string) => Date.parse(time);
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** On Mondays in summer an hour after the end of a weekend window, in winter before it. */
const first = at('2028-01-01T04:30:00Z');
const nights = Array.from({ length: 366 }, (_, night) => first + night * day);

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The windows of the projects, in UTC. In Berlin, summer is from 2028-03-26T01:00Z to 2028-10-29T01:00Z. */
const windows: Readonly<Record<string, readonly Window[]>> = {
  shop: Array.from({ length: 54 }, (_, week) => {
    const friday = at('2027-12-31T17:00:00Z') + week * 7 * day;
    const isSummer = friday > at('2028-03-26T01:00:00Z') && friday < at('2028-10-29T01:00:00Z');
    const from = friday - (isSummer ? hour : 0);
    return { from, to: from + 60 * hour };
  }),
  depot: [
    { from: at('2028-02-28'), to: at('2028-03-03') },
    { from: at('2028-12-17T12:00:00Z'), to: at('2028-12-27T06:00:00Z') },
  ],
};

function isFrozen(project: string, time: number): boolean {
  return (windows[project] ?? []).some(({ from, to }) => time >= from && time < to);
}

/** When what is written as `until` has passed. */
function endOf(until: string): number {
  return until.includes('T') ? at(until) : at(until) + day;
}

interface DatedGrant {
  readonly project: string;
  readonly team: string;
  /** The ends that the files declare, each until the day before it. */
  readonly ends: readonly string[];
}

interface DatedField {
  readonly workspace: string;
  readonly field: 'auto-apply' | 'description' | 'iac-version';
  readonly until: string;
  readonly known: string | boolean;
  readonly hasValue: boolean;
}

const projects = ['shop', 'depot'] as const;
const declared = { 'auto-apply': false, description: 'declared', 'iac-version': '1.10.2' };
const known = { 'auto-apply': true, description: 'hotfix', 'iac-version': '1.9.8' };
const fields = Object.keys(declared) as (keyof typeof declared)[];

/** A leap day, both changes of the clock, an hour that does not exist in Berlin and one that exists twice, and windows. */
const fixedEnds = [
  '2028-02-28',
  '2028-02-29',
  '2028-03-26',
  '2028-03-26T02:30:00+01:00',
  '2028-10-29',
  '2028-10-29T02:30:00+02:00',
  '2028-10-29T02:30:00+01:00',
  '2028-12-20',
];

test('a year of nightly applies of what is due meets every end once no window holds it, and writes nothing else', async () => {
  const draw = random(Number(process.env.ATTUNE_SEED));
  const drawn = Array.from({ length: 8 }, () => dateOf(first + Math.floor(draw() * 350) * day));
  const grants = projects.flatMap((project) =>
    [...fixedEnds, ...drawn].map((until, index): DatedGrant => {
      const later = dateOf(at(until) + 40 * day);
      // Every fifth is prolonged.
      return { project, team: `team-${index}`, ends: index % 5 === 4 ? [until, later] : [until] };
    }),
  );
  const dated = projects.flatMap((project) =>
    [...fixedEnds, ...drawn].map((until, index): DatedField => {
      const field = fields[index % fields.length] as keyof typeof declared;
      return {
        ...{ workspace: `${project}-${index}`, field, until, known: known[field], hasValue: index % 2 === 0 },
      };
    }),
  );

  const endsAt = ({ ends }: DatedGrant, time: number) =>
    ends.find((until, index) => index === ends.length - 1 || time < at(until) - day) ?? '';
  /** Exceptions are written 60 days before they end: none can last longer than 90. */
  const isWritten = ({ until }: DatedField, time: number) => time >= endOf(until) - 60 * day;

  const configuration = (time: number) => {
    const exceptions = dated
      .filter((one) => isWritten(one, time))
      .map(({ workspace, field, until, known: value, hasValue }) => {
        const its = hasValue ? `, value: ${typeof value === 'string' ? JSON.stringify(value) : value}` : '';
        return `  - {address: workspace.${workspace}, field: ${field}${its}, until: ${until}, reason: INC-7}`;
      });
    const accessOf = (project: string) =>
      grants
        .filter((grant) => grant.project === project)
        .map((grant) => `    ${grant.team}: {access: write, until: ${endsAt(grant, time)}, reason: Q4}`);
    const entries = dated.map(({ workspace }) => `  ${workspace}: {project: ${workspace.split('-')[0]}}`);
    return `attune: 1
organization: acme
projects: {shop: prj-shop, depot: prj-depot}
limits: {revokes: 40, updates: 40}
scope: {names: ["*"]}
prune: {workspaces: safe}
freeze:
  - {cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin, reason: weekend, select: {project: shop}}
  - {from: 2028-02-28, to: 2028-03-02, reason: stocktaking, select: {project: depot}}
  - {from: 2028-12-17T12:00:00Z, to: 2028-12-27T06:00:00Z, reason: year end, select: {project: depot}}
exceptions:${exceptions.length === 0 ? ' []' : `\n${exceptions.join('\n')}`}
defaults: {workspace: {auto-apply: false, description: declared, iac-version: "1.10.2"}}
workspaces:
${entries.join('\n')}
  missing-${new Date(time).getUTCMonth()}: {}
team-access:
${projects.map((project) => `  ${project}:\n${accessOf(project).join('\n')}\n    sre: admin`).join('\n')}
`;
  };

  const teams = Object.fromEntries(
    [...fixedEnds, ...drawn].map((_, index) => [`team-${index}`, `team-${index}`]),
  );
  const access = { ...Object.fromEntries(Object.keys(teams).map((team) => [team, 'write'])), sre: 'admin' };
  const writes: string[] = [];
  const service = await serviceWith({
    seed: {
      organization: 'acme',
      projects: { shop: 'prj-shop', depot: 'prj-depot' },
      teams: { ...teams, sre: 'team-sre', other: 'team-other' },
      workspaces: Object.fromEntries([
        ...dated.map(({ workspace }) => [
          workspace,
          { id: `ws-${workspace}`, project: workspace.split('-')[0], ...declared },
        ]),
        ['undeclared', { id: 'ws-undeclared' }],
      ]),
      'team-access': { shop: access, depot: access },
    },
    log: (entry: RequestEntry) => {
      if (entry.method !== 'GET') writes.push(writeOf(entry));
    },
  });
  const ids = await Promise.all(
    grants.map(({ project, team }) => grantId(service, { project: `prj-${project}`, team })),
  );
  const cwd = await folderWith({});

  /** As another client: declared settings, and a workspace that is not declared. */
  const changeManually = async (time: number) => {
    const isNew = (one: DatedField) =>
      isWritten(one, time) && (time === first || !isWritten(one, time - day));
    for (const { workspace, field, known: value } of dated.filter(isNew))
      await sendTo(service, 'PATCH', `/workspaces/ws-${workspace}`, workspaceBody({ [field]: value }));
    if (draw() < 0.9) return;
    const { workspace, field } = dated[Math.floor(draw() * dated.length)] as DatedField;
    const other = fields.find((one) => one !== field) ?? field;
    await sendTo(service, 'PATCH', `/workspaces/ws-${workspace}`, workspaceBody({ [other]: known[other] }));
    await sendTo(service, 'PATCH', '/workspaces/ws-undeclared', workspaceBody({ description: dateOf(time) }));
  };

  const met = new Set<DatedGrant | DatedField>();
  const late: string[] = [];
  for (const now of nights) {
    await writeFile(join(cwd, 'attune.yaml'), configuration(now));
    await changeManually(now);
    const due = [
      ...grants.map((grant, index) => ({
        ...{ one: grant, project: grant.project, end: endOf(endsAt(grant, now)) },
        write: `DELETE /team-projects/${ids[index]}`,
      })),
      ...dated
        .filter((one) => isWritten(one, now))
        .map((one) => ({
          ...{ one, project: one.workspace.split('-')[0] ?? '', end: endOf(one.until) },
          write: `PATCH /workspaces/ws-${one.workspace} ${JSON.stringify({ [one.field]: declared[one.field] })}`,
        })),
    ].filter(({ one, project, end }) => end <= now && !met.has(one) && !isFrozen(project, now));
    for (const { one, project, end, write } of due) {
      met.add(one);
      const nightsSince = nights.filter((night) => night >= end && night <= now);
      if (nightsSince.slice(0, -1).some((night) => !isFrozen(project, night))) late.push(write);
    }
    writes.length = 0;
    const argv = [
      'apply',
      '--due',
      '--yes',
      '--notify',
      '--skip-frozen',
      '--no-journal',
      '--address',
      service.url,
    ];
    const { code, stdout, stderr } = await attune(argv, {
      cwd,
      env: { ATTUNE_TOKEN: 'any' },
      date: () => new Date(now),
    });
    expect([dateOf(now), code, [...writes].sort()], `${stdout}${stderr}`).toEqual([
      dateOf(now),
      0,
      due.map(({ write }) => write).sort(),
    ]);
  }
  expect(late).toEqual([]);
  expect(met.size).toBeGreaterThan(40);
  const { status } = await ask(service, 'GET', '/workspaces/ws-undeclared');
  expect(status).toBe(200);
});

function writeOf({ method, path, body }: RequestEntry): string {
  const { attributes } = (body as { data?: { attributes?: object } } | undefined)?.data ?? {};
  return `${method} ${path}${attributes === undefined ? '' : ` ${JSON.stringify(attributes)}`}`;
}
