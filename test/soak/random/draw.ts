import fc from 'fast-check';
import type { Fault } from '../../../src/emulator/index.ts';
import type { Dialect } from '../../../src/model/dialect.ts';
import { names } from '../../properties/live-organization.ts';
import { type Generated, organizations } from '../../undo/generated.ts';
import { rootFiles } from '../../undo/root-files.ts';
import { type Act, actsOf } from './second-actor.ts';

type Values = Record<string, unknown>;

/** A whole course: plan, another user, apply, apply again, undo. */
export interface Course {
  readonly dialect: Dialect;
  readonly seed: Values;
  /** The root files by name, as plain data. */
  readonly files: Readonly<Record<string, Values>>;
  readonly acts: readonly Act[];
  /** Whether the plan is saved, and that plan applied. */
  readonly isSaved: boolean;
  readonly parallelism: number;
  readonly faults: { readonly apply: readonly Fault[]; readonly undo: readonly Fault[] };
  /** The write at which a signal arrives. */
  readonly signalAt: number | undefined;
}

interface Rules {
  readonly scope: 'none' | 'all' | 'half' | 'tag';
  readonly prune: Values;
  readonly guards: Values;
  /** Whether the guards are in the second root file. */
  readonly isApart: boolean;
}

const rules: fc.Arbitrary<Rules> = fc.record({
  scope: fc.constantFrom('none', 'none', 'all', 'half', 'tag'),
  prune: fc.record(
    { workspaces: fc.constantFrom('safe', 'force'), 'team-access': fc.constant(true) },
    { requiredKeys: [] },
  ),
  guards: fc.record(
    { protect: fc.subarray(['ZETA', { tag: 'keep' }, { project: 'prj-two' }], { minLength: 1 }) },
    { requiredKeys: [] },
  ),
  isApart: fc.boolean(),
});

/** Connections that break before or after a write takes effect, and refusals; once, or from then on. */
const faults: fc.Arbitrary<readonly Fault[]> = fc.oneof(
  fc.constant([]),
  fc
    .tuple(
      fc.constantFrom('cut-before', 'cut-after', 'half-body', 'html', 'status'),
      fc.constantFrom('POST', 'PATCH', 'DELETE'),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(1, 2, 30),
      fc.constantFrom(403, 404, 409, 422, 500),
    )
    .chain(([kind, method, nth, times, status]) => {
      const first = { kind, method, nth, times, ...(kind === 'status' && { status }) } as Fault;
      const refused: Fault = { kind: 'status', method, nth: nth + 1, status };
      return fc.constantFrom([first], kind === 'cut-after' ? [{ ...first, times: 1 }, refused] : [first]);
    }),
);

export function courses(dialect: Dialect): fc.Arbitrary<Course> {
  return fc
    .record({
      generated: organizations(dialect),
      rules,
      isNamed: fc.boolean(),
      isSplit: fc.boolean(),
      acts: fc.array(actsOf(dialect), { maxLength: 2 }),
      isSaved: fc.boolean(),
      parallelism: fc.constantFrom(1, 4),
      faults: fc.record({ apply: faults, undo: faults }),
      signalAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 1 }),
    })
    .map(({ generated, rules: drawn, isNamed, isSplit, ...rest }) => {
      const { seed, configuration } = withinScope(generated, drawn);
      const all = rootFiles({ seed, configuration }, isNamed);
      const files: Record<string, Values> = isSplit
        ? { 'rest.yaml': all['rest.yaml'] ?? {}, 'access.yaml': all['access.yaml'] ?? {} }
        : { 'root.yaml': all['root.yaml'] ?? {} };
      const [first = '', last = first] = Object.keys(files);
      const { scope, prune, guards, isApart } = drawn;
      Object.assign(files[first] ?? {}, scopes[scope], scope !== 'none' && { prune });
      Object.assign(files[isApart ? last : first] ?? {}, { guards });
      return { ...rest, dialect, seed, files };
    });
}

const half = names.slice(0, 3).flatMap((name): string[] => [name, `${name}-new`]);
const scopes: Readonly<Record<Rules['scope'], Values>> = {
  none: {},
  all: { scope: { names: ['*'] } },
  half: { scope: { names: half } },
  tag: { scope: { tags: ['prod'] } },
};

/** Only declares what the scope contains, or the plan is refused. */
function withinScope({ seed, configuration }: Generated, { scope }: Rules): Generated {
  if (scope === 'none' || scope === 'all') return { seed, configuration };
  const declared = Object.entries(configuration.workspaces as Record<string, Values>);
  if (scope === 'half') {
    const kept = declared.filter(([name]) => half.includes(name));
    return { seed, configuration: { ...configuration, workspaces: Object.fromEntries(kept) } };
  }
  const touched = new Set(declared.flatMap(([name, values]) => [name, values['renamed-from']]));
  const tagged = Object.entries(seed.workspaces as Record<string, Values>).map(([name, values]) => [
    name,
    touched.has(name)
      ? { ...values, tags: [...new Set(['prod', ...((values.tags ?? []) as string[])])] }
      : values,
  ]);
  const workspaces = declared.map(([name, values]) => [
    name,
    values.state === 'absent' ? values : { ...values, tags: { add: ['prod', 'new'], remove: ['network'] } },
  ]);
  return {
    seed: { ...seed, workspaces: Object.fromEntries(tagged) },
    configuration: { ...configuration, workspaces: Object.fromEntries(workspaces) },
  };
}
