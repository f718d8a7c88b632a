import fc from 'fast-check';
import type { Dialect } from '../../src/model/dialect.ts';

type Values = Record<string, unknown>;

/** The live projects by name, and the declared ones by alias. */
export interface GeneratedProjects {
  readonly live: Values;
  readonly declared: Values;
}

const bindingKeys = ['env', 'owner', 'cost-center'];

/** Key/value tags as a seed and a file write them. */
export const bindings = fc.record(
  {
    env: fc.constantFrom('prod', 'dev', null),
    owner: fc.constantFrom('jo', 'al'),
    'cost-center': fc.constant('101'),
  },
  { requiredKeys: [] },
);

/** Exactly these key/value tags, or at least these and none of those keys. */
export const bindingRule = fc.oneof(
  bindings,
  fc.tuple(bindings, fc.subarray(bindingKeys)).map(([add, remove]) => ({
    add,
    remove: remove.filter((key) => !Object.hasOwn(add, key)),
  })),
);

/** What workspaces without their own mode inherit. */
const executions = fc.constantFrom<Values>(
  {},
  { 'default-execution-mode': 'local' },
  { 'default-execution-mode': 'agent', 'default-agent-pool': 'apool-1' },
);

const live = (id: string) =>
  fc
    .tuple(
      fc.record(
        {
          description: fc.constantFrom('one', 'two'),
          'auto-destroy-activity-duration': fc.constantFrom('14d', '6h'),
          'tag-bindings': bindings,
        },
        { requiredKeys: [] },
      ),
      executions,
    )
    .map(([values, execution]) => ({ ...values, ...execution, id }));

const managed = (rest: Values) =>
  fc
    .tuple(
      fc.record(
        {
          description: fc.constantFrom('two', 'three', null),
          'auto-destroy-activity-duration': fc.constantFrom('6h', '2d', null),
          'tag-bindings': bindingRule,
        },
        { requiredKeys: [] },
      ),
      fc.oneof(executions, fc.constant({ 'default-execution-mode': null })),
    )
    .map(([values, execution]) => ({ ...values, ...execution, ...rest, manage: true }));

/** A reference, an update or a rename. */
const kept = (id: string, name: string) =>
  fc.oneof(
    fc.constant(id),
    managed({ id, name }),
    managed({ name: `${name} renamed`, 'renamed-from': name }),
  );

/**
 * Projects that are left alone, updated and renamed. In the dialect that writes them, `three` may be deleted, and
 * `four` is created.
 */
export function projectsOf(dialect: Dialect): fc.Arbitrary<GeneratedProjects> {
  if (dialect === 'iac')
    return fc.constant({
      live: { One: 'prj-1', Two: 'prj-2' },
      declared: { one: 'prj-1', two: 'prj-2' },
    });
  return fc.record({
    live: fc.record({ One: live('prj-1'), Two: live('prj-2'), Three: live('prj-3') }),
    declared: fc.record({
      one: kept('prj-1', 'One'),
      two: kept('prj-2', 'Two'),
      three: fc.oneof(kept('prj-3', 'Three'), fc.constant({ name: 'Three', manage: true, state: 'absent' })),
      four: managed({ name: 'Four' }),
    }),
  });
}
