import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startEmulator } from '../../../src/emulator/index.ts';
import { sendTo } from '../../support/ask.ts';
import { attune, folderWith, type Ran, serviceWith } from '../../support/attune.ts';
import { cases } from '../../support/cases.ts';
import { documentErrors } from '../../support/document-errors.ts';
import { jumpingClock } from '../../support/fake-clock.ts';
import { mutatingService } from '../../support/mutating-service.ts';

const files = `attune: 1
organization: acme
projects: {platform: prj-1}
teams: {sre: team-1, developers: team-2}
workspaces:
  network-prod:
    project: platform
    auto-apply: false
    tags: [network]
    remote-state-consumers: [billing-prod, {tag: needs-network}]
    lock: true
  billing-prod:
    renamed-from: billing
    description: null
    data-retention: {delete-older-than-days: 30}
  fresh: {tags: [fresh], remote-state-consumers: [network-prod]}
  legacy: {state: absent}
team-access:
  platform: {sre: admin, developers: {access: custom, workspace-access: {runs: plan}}}
scope: {names: ["*-prod", old-*], enforce: false}
prune: {workspaces: safe, team-access: true}
limits: {delete-percent: 100}
`;

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-1' },
  teams: { sre: 'team-1', developers: 'team-2', auditors: 'team-3' },
  workspaces: {
    'network-prod': { 'auto-apply': true, tags: ['staging'], 'remote-state-consumers': ['foreign'] },
    billing: {
      description: 'Invoices',
      'vcs-repo': { identifier: 'acme/billing', 'oauth-token-id': 'ot-1' },
    },
    'old-app': {},
    legacy: {},
    foreign: { description: 'Nobody here declares it.', tags: ['needs-network'] },
  },
  'team-access': { Platform: { sre: 'read', auditors: 'write' } },
} as const;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What no service should answer, and some day one does. */
const nasty = fc.constantFrom<Json>(
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, '', ' ', '\u0000', '\u001b[31m', 'ws-1', [], {}],
  ...['../../admin', 'a/b?c=d#e', '-', '__proto__', 'x'.repeat(300_000), '\u202e', '::error::x', '<script>'],
  ...[[null], [[]], [{}], { data: null }, { data: [] }, { id: 1 }, { errors: [{ detail: 'no' }] }],
);

interface Mutation {
  readonly kind: 'drop' | 'twice' | 'replace';
  /** Counts the members of the document, modulo how many there are. */
  readonly place: number;
  readonly value: Json;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('drop', 'twice', 'replace', 'replace'),
  place: fc.nat(),
  value: nasty,
});

/** One member of a document lost, doubled or of another kind. */
function mutated(text: string, { kind, place, value }: Mutation): string {
  const document = parsed(text);
  if (document === undefined) return text;
  const root = { document };
  const places: { readonly holder: object; readonly key: string }[] = [];
  const visit = (holder: object) => {
    for (const [key, member] of Object.entries(holder)) {
      places.push({ holder, key });
      if (typeof member === 'object' && member !== null) visit(member);
    }
  };
  visit(root);
  const { holder, key } = places[place % places.length] ?? { holder: root, key: 'document' };
  if (kind === 'replace') Reflect.set(holder, key, value);
  else if (!Array.isArray(holder)) Reflect.deleteProperty(holder, key);
  else if (kind === 'drop') holder.splice(Number(key), 1);
  else holder.push(structuredClone(holder[Number(key)]));
  return JSON.stringify(root.document) ?? '';
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const broken = fc.constantFrom(
  ...[
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '<html>',
    '{"data":',
    `${'['.repeat(200_000)}`,
    '\u0000',
    '{"data":{}}',
  ],
  ...['{"__proto__":{"data":[]}}', '{"data":[],"meta":{"pagination":{"next-page":1,"total-pages":1e9}}}'],
);

/** Which of a run's answers, and what becomes of it. */
const attack = fc.record({
  answer: fc.nat(15),
  change: fc.oneof({ weight: 5, arbitrary: mutation }, { weight: 1, arbitrary: broken }),
});
type Attack = typeof attack extends fc.Arbitrary<infer T> ? T : never;

function expectSane({ code, stdout, stderr }: Ran, codes: readonly number[]): void {
  expect(codes, stderr).toContain(code);
  const shown = stdout + stderr;
  expect(shown).not.toMatch(/\n\s+at .*\.(ts|js):\d+/);
  // Control characters and bidirectional overrides never reach a terminal, nor does a text without end.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
  expect(shown.length).toBeLessThan(2_000_000);
}

/** Files and a service whose answers are changed on their way. */
async function attackedWorld() {
  const folder = await folderWith({ 'attune.yaml': files });
  const emulator = await serviceWith({ seed });
  const service = await mutatingService(emulator.url);
  return {
    folder,
    service,
    attune: (...argv: string[]) =>
      attune([...argv, '--address', service.url], {
        cwd: folder,
        env: { ATTUNE_TOKEN: 'test-token' },
        // No retry waits.
        clock: jumpingClock(),
      }),
  };
}

function mutateBy(attacks: readonly Attack[]): (text: string, index: number) => string {
  return (text, index) =>
    attacks
      .filter(({ answer }) => answer === index)
      .reduce((now, { change }) => (typeof change === 'string' ? change : mutated(now, change)), text);
}

test('plan finds all changes when no answer is changed', async () => {
  const { attune } = await attackedWorld();
  const planned = await attune('plan');
  expect(planned.stdout).toContain('Plan: 2 to create, 3 to update, 3 to delete, 0 unchanged. 15 calls.');
  expectSane(planned, [0]);
});

test.each(['plan', 'plan --format json', 'drift --format json', 'snapshot'])(
  '%s ends with a result or an error for any changed answer of the service, and writes nothing',
  async (command) => {
    const { folder, service, attune } = await attackedWorld();
    const property = fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 3 }), async (attacks) => {
      service.clear();
      service.mutate = mutateBy(attacks);
      const ran = await attune(...command.split(' '));
      expectSane(ran, [0, 1, 2]);
      if (command.endsWith('json')) expect(documentErrors(JSON.parse(ran.stdout))).toEqual([]);
      expect(service.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
      expect(service.requests.length).toBeLessThan(200);
    });
    await fc.assert(property, cases(300));
    expect(await readdir(folder)).toEqual(['attune.yaml']);
  },
);

test('apply ends with a report for any changed answer of the service, and leaves undeclared workspaces alone', async () => {
  const foreign = async (url: string) =>
    JSON.stringify(await sendTo({ url }, 'GET', '/organizations/acme/workspaces/foreign'));
  const { service, attune } = await attackedWorld();
  const property = fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 3 }), async (attacks) => {
    const emulator = await startEmulator({ seed });
    service.clear();
    service.target = emulator.url;
    service.mutate = mutateBy(attacks);
    const before = await foreign(emulator.url);
    const ran = await attune('apply', '--yes', '--format', 'json');
    expectSane(ran, [0, 1]);
    expect(documentErrors(JSON.parse(ran.stdout))).toEqual([]);
    expect(await foreign(emulator.url)).toBe(before);
    await emulator.stop();
  });
  await fc.assert(property, cases(200));
});
