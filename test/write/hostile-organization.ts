import fc from 'fast-check';
import type { OrganizationSeed, WorkspaceSeed } from '../../src/emulator/index.ts';
import {
  agentPools,
  connections,
  type Flavour,
  grant,
  hasRetention,
  projects,
  retention,
  sshKeys,
  teams,
  workspace,
} from '../properties/live-organization.ts';
import { anyCharacter } from '../support/cases.ts';

/** Text that YAML could take for something else, or that does not show what it is. */
const hostileTexts: readonly string[] = [
  ...['yes', 'No', 'on', 'null', '~', '1e3', '0x1f', '0o17', '1.10', '12:30:45', '2026-01-31', '.inf', '='],
  ...['<<', '-', '- a', '? a', 'a: b', 'a:', ': a', '# no comment', 'a # comment', '!tag', '&anchor'],
  ...['*alias', '%directive', '@at', '`tick`', "it's", '"quoted"', '{a: b}', '[a, b]', 'a, b', 'x\\y \\n'],
  ...[`$${'{HOME}'} %{if}`, '---', '...', ' leading', 'trailing ', '\ttab', 'in\tside', 'trailing\t'],
  ...['two\nlines', 'two\n\nparts\n', 'kept\n\n\n', '\nfirst empty', ' indented\nfirst', 'last\n  indented'],
  ...['space at the end \nof a line', 'a\n---\nb', '# a\n# b', 'carriage\r\nreturn', 'old\rmac', '\n'],
  '\u0000\u0001\u0007\u001b[31m\u007f\u0085\u009b',
  ...['\u2028\u2029\ufeff\u200b\u202e\u2066', '\ufffe\uffff', '\ud800 lone', '🚀 👩‍👩‍👧‍👦 ünï'],
  ...['x'.repeat(3000), `${'word '.repeat(300)}end`, `${'long line '.repeat(30)}\n${'other '.repeat(60)}`],
];

const signs = ' \n\t:#-"\'a|>&*!%@`{}[],\\';
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...signs), maxLength: 30 }) },
);
const oneLine = text.filter((value) => value.trim() !== '' && !/\p{Cs}/u.test(value));

const words = ['yes', 'null', '1e3', '0x1f', '123', '-', '--', '_', '__proto__', 'constructor', 'ws-1'];
const name = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...words, 'toString') },
  { weight: 5, arbitrary: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/) },
);

interface Entry {
  readonly seed: WorkspaceSeed;
  readonly description: string | undefined;
  readonly folder: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly reason: string | undefined;
  readonly by: string;
  readonly wiring: Wiring;
  readonly bound: Readonly<Record<string, string | null>> | undefined;
}

/** A list of other entries of the organization, or nothing. */
type Wiring = 'none' | 'some' | 'mutual' | 'many';

/** The live service takes few characters; those that it takes are enough to be misread. */
function tag({ dialect }: Flavour): fc.Arbitrary<string> {
  if (dialect === 'iac') return oneLine.map((value) => value.slice(0, 40));
  return fc.oneof(
    fc.constantFrom('yes', 'null', '1e3', '0x1f', '12:30'),
    fc.stringMatching(/^[a-z0-9]{1,12}$/),
  );
}

/** Key/value tags that are enough to be misread; a key may be a word of the language. */
const bindings = fc.dictionary(
  fc.constantFrom('env', 'add', 'exactly', 'remove', 'yes', '1e3', 'a:b', '-', 'owner@x'),
  fc.constantFrom(null, 'prod', 'null', '101', '0x1f', 'a b', '1.10'),
  { maxKeys: 4 },
);

/** Names of projects that a file can manage. */
const manageable = fc.constantFrom('yes', '1e3', 'Shop', 'Shop Platform', '0x1f', '---', 'null');

/** An organization of `size` workspaces that use every feature, with unusual names. */
export function hostileOrganization(
  flavour: Flavour,
  size: { readonly min: number; readonly max: number },
): fc.Arbitrary<OrganizationSeed> {
  const entry: fc.Arbitrary<Entry> = fc.record({
    seed: workspace(flavour),
    description: fc.option(text, { nil: undefined }),
    folder: fc.option(oneLine, { nil: undefined }),
    tags: fc.option(fc.uniqueArray(tag(flavour), { maxLength: 4 }), { nil: undefined }),
    reason: fc.option(text, { nil: undefined }),
    by: fc.constantFrom('user-jo', 'team-sre', 'run-1'),
    wiring: fc.constantFrom<Wiring>('none', 'none', 'some', 'mutual', 'many'),
    bound: flavour.dialect === 'terraform' ? fc.option(bindings, { nil: undefined }) : fc.constant(undefined),
  });
  return fc
    .record({
      names: fc.uniqueArray(name, { minLength: size.min, maxLength: size.max }),
      entries: fc.array(entry, { minLength: size.max, maxLength: size.max }),
      projectNames: fc.uniqueArray(
        fc.oneof(oneLine, manageable).map((value) => value.trim() || 'p'),
        { minLength: 3, maxLength: 3 },
      ),
      access: fc.array(grant(flavour), { minLength: 9, maxLength: 9 }),
      holes: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
      inherited: fc.option(retention, { nil: undefined }),
      agents: fc.boolean(),
      owned: fc.array(
        fc.record(
          {
            description: text.map((value) => value.slice(0, 256)),
            'auto-destroy-activity-duration': fc.constantFrom('14d', '6h'),
            'tag-bindings': bindings,
          },
          { requiredKeys: [] },
        ),
        { minLength: 3, maxLength: 3 },
      ),
    })
    .map(({ names, entries, projectNames, access, holes, inherited, agents, owned }) => {
      const workspaces = names.map((own, index): [string, WorkspaceSeed] => {
        const { seed, description, folder, tags, reason, by, wiring, bound } = entries[index] as Entry;
        const { 'remote-state-consumers': _consumers, project, ...rest } = seed;
        const consumers = consumersOf(names, index, wiring);
        return [
          own,
          {
            ...rest,
            ...(project !== undefined && {
              project: projectNames[Object.keys(projects).indexOf(project)] ?? project,
            }),
            ...(description !== undefined && { description }),
            ...(folder !== undefined && { 'working-directory': folder }),
            ...(tags !== undefined && { tags }),
            ...(bound !== undefined && { 'tag-bindings': bound }),
            ...(reason !== undefined && { locked: { by, reason } }),
            ...(consumers.length > 0 && {
              'global-remote-state': false,
              'remote-state-consumers': consumers,
            }),
          },
        ];
      });
      return {
        settings: {
          ...(inherited && hasRetention(flavour) && { 'data-retention': inherited }),
          ...(agents && { 'default-execution-mode': 'agent', 'default-agent-pool': 'onprem' }),
        },
        projects: Object.fromEntries(
          projectNames.map((project, index) => [
            project,
            { id: Object.values(projects)[index] ?? 'prj-other', ...owned[index] },
          ]),
        ),
        teams,
        'ssh-keys': sshKeys,
        'agent-pools': agentPools,
        'vcs-connections': connections,
        workspaces: Object.fromEntries(workspaces),
        'team-access': Object.fromEntries(
          projectNames.map((project, row) => {
            const grants = Object.keys(teams).map((team, column) => [team, access[row * 3 + column]]);
            return [project, Object.fromEntries(grants.filter((_, column) => !holes[row * 3 + column]))];
          }),
        ) as NonNullable<OrganizationSeed['team-access']>,
      };
    });
}

function consumersOf(names: readonly string[], index: number, wiring: Wiring): readonly string[] {
  const own = names[index] ?? '';
  const others = names.filter((other) => other !== own);
  switch (wiring) {
    case 'none':
      return [];
    case 'some':
      return others.slice(index, index + 2);
    case 'mutual':
      return others.filter((_, other) => Math.abs(other - index) <= 1);
    case 'many':
      return others.slice(0, 25);
    default:
      return wiring satisfies never;
  }
}
