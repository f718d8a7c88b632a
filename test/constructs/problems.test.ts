import { inspect } from 'node:util';
import { Construct } from 'constructs';
import { expect, test } from 'vitest';
import {
  type App,
  Organization,
  Project,
  SynthesisError,
  Tags,
  Team,
  TeamAccess,
  Workspace,
} from '../../src/constructs/index.ts';
import { emptyApp, inApp } from './programs.ts';

/** The message of what a program throws; lines are counted from that of the test, which is line 0. */
async function thrown(app: App, at: number): Promise<string> {
  const error = await app.synth().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SynthesisError)) throw new Error('the program breaks no rule', { cause: error });
  return error.message
    .replaceAll('test/constructs/problems.test.ts', 'main.ts')
    .replaceAll(/test\/constructs\/programs\.ts:\d+/g, 'programs.ts')
    .replaceAll(/main\.ts:(\d+)/g, (_place, line) => `main.ts:${Number(line) - at}`);
}

/** The line of the caller. */
function here(): number {
  const [, , caller = ''] = (new Error().stack ?? '').split('\n');
  return Number(/:(\d+):\d+\)?$/.exec(caller)?.[1]);
}

test('a program that breaks rules is one error with every rule, construct path and line', async () => {
  const line = here();
  const app = inApp((acme) => {
    const prod = new Construct(acme, 'prod');
    const runner = new Workspace(prod, 'runner', { executionMode: 'agent' });
    runner.allowStateReadBy('prod-runner');
    new Workspace(prod, 'second', { name: 'prod-runner' });
    runner.node.addValidation({ validate: () => ['first rule', 'second rule'] });
    prod.node.addValidation({ validate: () => ['a stage has a network'] });
  });
  expect(await thrown(app, line)).toBe(`\
the program breaks 7 rules

first rule
    at main.ts:3:20 (acme/prod/runner)

second rule
    at main.ts:3:20 (acme/prod/runner)

the workspace "prod-runner" is declared twice, also at main.ts:5:5 (acme/prod/second)
    at main.ts:3:20 (acme/prod/runner)

execution-mode: agent requires "agent-pool-id"
    at main.ts:3:20 (acme/prod/runner)
    hint: set agent-pool-id to a pool, or execution-mode to \`remote\` or \`local\`

the workspace "prod-runner" cannot be its own consumer
    at main.ts:4:12 (acme/prod/runner)

the workspace "prod-runner" is declared twice, also at main.ts:3:20 (acme/prod/runner)
    at main.ts:5:5 (acme/prod/second)

a stage has a network
    at programs.ts:11 (acme/prod)
`);
});

test('a line that makes many constructs is reported for each construct that breaks the rule', async () => {
  const line = here();
  const app = inApp((acme) => {
    for (const name of ['a', 'b', 'c'])
      new Workspace(acme, name, name === 'b' ? {} : { executionMode: 'agent' });
  });
  const places = (await thrown(app, line)).match(/(?<=at )main\.ts.*/g);
  expect(places).toEqual(['main.ts:3:7 (acme/a)', 'main.ts:3:7 (acme/c)']);
});

test('an uncaught synthesis error is printed once', async () => {
  const error = await inApp((acme) => new Workspace(acme, 'a', { executionMode: 'agent' }))
    .synth()
    .catch((reason: unknown) => reason);
  expect(inspect(error)).toMatch(
    /^\[SynthesisError: the program breaks a rule\n\nexecution-mode: agent requires "agent-pool-id"\n {4}at .*\n {4}hint: .*\n\]$/,
  );
});

test('a duplicate alias, access or organization is reported at both locations', async () => {
  const line = here();
  const app = inApp((acme) => {
    const payments = new Project(acme, 'payments', { id: 'prj-1' });
    new Team(acme, 'sre', { id: 'team-1' });
    new Team(acme, 'other', { alias: 'sre' });
    payments.grant('sre', 'read');
    new TeamAccess(acme, 'again', { project: payments, team: 'sre', access: 'admin' });
    new Workspace(acme, 'named', { project: { name: 'payments' } });
  });
  new Organization(app, 'second', { name: 'acme' });
  expect(await thrown(app, line)).toBe(`\
the program breaks 8 rules

the alias "payments" under projects is declared twice, also at main.ts:7:5 (acme/named)
    at main.ts:2:22 (acme/payments)

the alias "sre" under teams is declared twice, also at main.ts:4:5 (acme/other)
    at main.ts:3:5 (acme/sre)

the alias "sre" under teams is declared twice, also at main.ts:3:5 (acme/sre)
    at main.ts:4:5 (acme/other)

the access of the team "sre" to "payments" is declared twice, also at main.ts:6:5 (acme/again)
    at main.ts:5:14 (acme/payments/access-sre)

the access of the team "sre" to "payments" is declared twice, also at main.ts:5:14 (acme/payments/access-sre)
    at main.ts:6:5 (acme/again)

the alias "payments" under projects is declared twice, also at main.ts:2:22 (acme/payments)
    at main.ts:7:5 (acme/named)

the organization "acme" is declared twice, also at programs.ts:11 (acme)
    at main.ts:9:3 (second)

the organization "acme" is declared twice, also at main.ts:9:3 (second)
    at programs.ts:11 (acme)
`);
});

test('a workspace of another app is an error, even if its organization has the same name', async () => {
  const line = here();
  const foreign = new Workspace(new Organization(emptyApp(), 'acme'), 'foreign');
  const app = inApp((acme) => new Workspace(acme, 'network').allowStateReadBy(foreign));
  expect(await thrown(app, line)).toBe(`\
the program breaks a rule

"foreign" belongs to another construct of the organization "acme", but is used in "acme"
    at main.ts:2:62 (acme/network)
    hint: use constructs of one organization: state and access cannot be shared between organizations
`);
});

test('an access without a project, a project with both id and name, and constructs of another organization are errors', async () => {
  const line = here();
  const app = emptyApp();
  const beta = new Organization(app, 'beta');
  const acme = new Organization(app, 'acme');
  const foreign = new Workspace(beta, 'foreign');
  new Workspace(acme, 'network').allowStateReadBy(foreign);
  new TeamAccess(acme, 'nowhere', { team: 'sre', access: 'read' });
  new Project(acme, 'both', { id: 'prj-1', name: 'Both' });
  expect(await thrown(app, line)).toBe(`\
the program breaks 3 rules

"foreign" belongs to the organization "beta", but is used in "acme"
    at main.ts:5:34 (acme/network)
    hint: use constructs of one organization: state and access cannot be shared between organizations

team access requires a project
    at main.ts:6:3 (acme/nowhere)
    hint: set \`project\`, or create the access inside a Project

the id "prj-1" and the name "Both" exclude each other: set only one of them
    at main.ts:7:3 (acme/both)
`);
});

test('a warning about a construct is a diagnostic of the configuration and not an error', async () => {
  const line = here();
  const app = inApp((acme) => {
    new Workspace(acme, 'network');
    Tags.of(acme).add('Managed');
  });
  const [configuration] = await app.synth();
  expect(configuration?.diagnostics).toMatchObject([
    { code: 'upper-case-tag', location: { line: line + 3, construct: 'acme' } },
  ]);
});
