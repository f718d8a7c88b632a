import { expect, test } from 'vitest';
import { serviceSource } from '../../src/live/read-live.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import { isHeld, type Plan, sentChanges } from '../../src/model/plan.ts';
import type { Exception, FreezeWindow, Hold, HoldRules } from '../../src/model/rules.ts';
import type { Selector } from '../../src/model/selector.ts';
import { resolveNames } from '../../src/resolve/look-up-names.ts';
import { selectChanged } from '../../src/resolve/plan-request.ts';
import { planResolved } from '../../src/run/make-plan.ts';
import { planThatHolds } from '../../src/saved/still-holds.ts';
import { grantId, sendTo } from '../support/ask.ts';
import { callMisfits } from '../support/call-misfits.ts';
import { type Case, forAllPairs, skip } from './pairs.ts';

const location = { file: 'attune.yaml', line: 1, column: 1 };

/** Windows and exceptions for the changes of a plan, by chance. */
function rulesFor({ planned, pair }: Case, kinds: readonly (keyof HoldRules)[]): HoldRules {
  let turn = 0;
  const die = () => ((pair.dice[turn % pair.dice.length] ?? 0) >>> ((turn++ * 3) % 24)) + turn;
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[die() % Math.max(items.length, 1)];
  const name = () => pick(planned.changes)?.name ?? 'none';
  const selector = (): Selector => ({ name: `${name().slice(0, 1 + (die() % 3))}*` });
  const freeze: FreezeWindow[] = [
    {
      reason: 'year end',
      ...(die() % 4 > 0 && { select: selector() }),
      periodAt: () => ({ start: 0, end: Date.UTC(2100, 0) }),
      written: {},
      location,
    },
  ];
  const exceptions = [0, 1, 2].flatMap((): Exception[] => {
    const change = pick(planned.changes.filter(({ action }) => action === 'update'));
    const field = pick(change?.fields ?? []);
    if (change === undefined || field === undefined) return [];
    const until = { written: '2099-12-31', time: Date.UTC(2100, 0) };
    return [{ address: change.address, field: field.path, until, reason: 'INC-7', location }];
  });
  return {
    freeze: kinds.includes('freeze') ? freeze : [],
    exceptions: kinds.includes('exceptions') ? exceptions : [],
  };
}

/** The limits of the configuration do not count for these properties. */
function withRules(configuration: Configuration, holds: HoldRules): Configuration {
  return { ...configuration, holds, limits: { ...configuration.limits, exceptionDays: 100_000 } };
}

/** Whether something else is held by a rule. */
function isDependent({ reason }: Hold): boolean {
  return /^(depends on|needs) /.test(reason);
}

/** Without what depends on something held or needs it: it can be sent in part, or be complete without it. */
function heldParts({ changes }: Plan): readonly string[] {
  return changes.flatMap(({ address, held = [] }) =>
    held
      .filter((hold) => !isDependent(hold))
      .flatMap(({ fields = ['*'] }) => fields.map((field) => `${address} ${field}`)),
  );
}

/** What a hold leaves can be impossible, such as a workspace whose tag of the scope is held. The error names the hold. */
function skipHeldMistake(error: unknown): never {
  if (!(error instanceof DiagnosticsError)) throw error;
  const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
  for (const { message } of errors) expect(message).toMatch(/ is held until /);
  return skip(errors);
}

const kinds: readonly { readonly used: readonly (keyof HoldRules)[] }[] = [
  { used: ['freeze'] },
  { used: ['exceptions'] },
  { used: ['freeze', 'exceptions'] },
];

test.each(kinds)('nothing that is held is sent, and the next plan holds the same: $used', ({ used }) =>
  forAllPairs({ fast: 1, soak: 60 }, async (one) => {
    const { plan, apply } = one;
    const configuration = withRules(one.configuration, rulesFor(one, used));
    const planned = await plan(configuration).catch(skipHeldMistake);
    // Each call does exactly what the part of its change shows that is not held.
    expect(callMisfits(planned)).toEqual([]);
    for (const { held = [], calls } of planned.changes)
      if (held.some(({ fields }) => fields === undefined)) expect(calls).toEqual([]);

    const { changes } = await apply(planned);
    const failed = new Set(
      changes.flatMap(({ result, address }) => (result === 'done' || result === 'held' ? [] : address)),
    );
    const next = await plan(configuration);
    // A part of a list that needed something held can be sent once the rest of its change is.
    const waited = new Set(
      planned.changes.flatMap(({ address, held = [] }) => (held.some(isDependent) ? address : [])),
    );
    const left = sentChanges(next.changes).filter(
      ({ address }) => !failed.has(address) && !waited.has(address),
    );
    expect(left.map(({ address }) => address)).toEqual([]);
    // What is sent can end the difference of what is held: the list of consumers is readable after a switch is off.
    if (failed.size === 0) expect(heldParts(planned)).toEqual(expect.arrayContaining([...heldParts(next)]));
    for (const { address } of changes.filter(isHeld))
      expect(next.changes.map((change) => change.address)).toContain(address);
  }),
);

test('beside what is frozen, a plan is the one that leaves it out', () =>
  forAllPairs({ fast: 1, soak: 60 }, async (one) => {
    const configuration = withRules(one.configuration, rulesFor(one, ['freeze']));
    const planned = await one.plan(configuration);
    const held = new Set(planned.changes.filter(isHeld).map(({ address }) => address));
    const request = {
      source: serviceSource(one.client),
      address: planned.address,
      selection: { chosen: (address: string) => !held.has(address) },
      maxDeletes: 1000,
    };
    const partial = planned.changes.some((change) => change.held && !isHeld(change));
    if (partial) return;
    const { plan: rest } = await planResolved(await resolveNames(one.configuration, request), request);
    // What is frozen can have read names that the rest shows as ids.
    const facts = (plan: Plan) =>
      sentChanges(plan.changes).map(({ address, action, fields, calls, dependsOn }) => {
        const paths = fields.map(({ path }) => path);
        return { address, action, paths, calls, dependsOn };
      });
    expect(facts(planned)).toEqual(facts(rest));
  }));

test('without rules that hold something, a plan is the same', () =>
  forAllPairs({ fast: 1, soak: 40 }, async (one) => {
    const never = { reason: 'never', periodAt: () => undefined, written: {}, location };
    const rules: HoldRules = { exceptions: [], freeze: [never] };
    const { at: _at, ...planned } = await one.plan(withRules(one.configuration, rules));
    expect(planned).toEqual(one.planned);
  }));

test('a saved plan of what an apply left holds until another user revokes access that a move gives', async () => {
  let revoked = 0;
  await forAllPairs({ fast: 25, soak: 55 }, async (one) => {
    const { planned, plan, apply, pair, configuration, client, service } = one;
    const changes = planned.changes.filter((_, index, all) => index !== (pair.dice[0] ?? 0) % all.length);
    // Others can need the one that is left: then nothing is applied.
    await apply({ ...planned, changes }).catch(() => undefined);
    const saved = await plan(configuration);
    const request = {
      ...{
        source: serviceSource(client),
        address: saved.address,
        purpose: 'replan' as const,
        now: new Date(),
      },
      ...{ selection: selectChanged([saved], configuration.desired), maxDeletes: 1000 },
    };
    const heldAgain = async () => {
      const { plan: again } = await planResolved(await resolveNames(configuration, request), request);
      return planThatHolds({ saved, again, configuration, source: 'files', reader: client });
    };
    expect((await heldAgain()).changes).toHaveLength(saved.changes.length);
    const given = (saved.overview.effects?.moves ?? []).flatMap(({ to: project, teams }) =>
      teams.flatMap(({ team, after }) => (after === null ? [] : { project, team })),
    );
    const ids = await Promise.all(given.map((right) => grantId(service, right).catch(() => '')));
    const grant = ids.find(Boolean);
    if (!grant) return;
    await sendTo(service, 'DELETE', `/team-projects/${grant}`);
    await expect(heldAgain()).rejects.toThrow(DiagnosticsError);
    revoked += 1;
  });
  expect(revoked).toBeGreaterThan(0);
});
