import { describe, expect, test } from 'vitest';
import { renderGithub } from '../../src/report/github.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { largePlan, largeReport } from './fixtures/large-plan.ts';

describe('JUnit', () => {
  test('the JUnit report passes a planned change, and fails a drifted one', async () => {
    const amounts = { create: 1, delete: 1 };
    expect(await renderJunit(largeReport(amounts))).toContain(
      '<testsuite name="acme" tests="2" failures="0"',
    );
    expect(await renderJunit(largeReport(amounts, 'drift'))).toContain('tests="2" failures="2"');
  });

  test('the JUnit report without differences has one case that passes', async () => {
    expect(await renderJunit(largeReport({}, 'drift'))).toBe(`\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="attune drift" tests="1" failures="0" errors="0" skipped="0">
  <testsuite name="acme" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="No drift. The live state matches the configuration: 0 resources compared, 0 undeclared." classname="attune.drift"/>
  </testsuite>
</testsuites>
`);
  });
});

describe('GitHub annotations', () => {
  test('the GitHub annotations have the most important first, each at its line, and the sum last', () => {
    expect(renderGithub(largeReport({ update: 1, delete: 1, errors: 1 }))).toBe(`\
::error file=attune.yaml,line=1,col=1,title=bad-value::no 1
::warning file=workspaces/all.yaml,line=1,col=3,title=safe delete workspace.delete-00001::safe delete workspace.delete-00001%0Aneeds attention: delete: number of managed resources unknown
::warning file=workspaces/all.yaml,line=1,col=3,title=update workspace.update-00001::update workspace.update-00001%0Aneeds attention: auto-apply on: auto-apply: false -> true%0Aauto-apply: false -> true%0Adescription: (none) -> The workspace number 1 of many
::notice title=attune plan%3A acme::Plan: 0 to create, 1 to update, 1 to delete, 0 unchanged. 2 calls.
`);
  });
});

test('the annotations of an apply have the risk of undeclared access, which the apply does not list', () => {
  const address = 'team-access.pay/ops';
  const grant = { address, projectId: 'prj-1', teamId: 'team-1', access: 'admin', hint: 'x' } as const;
  const plan = { ...largePlan({}), unmanaged: [address], undeclaredAccess: [grant] };
  const result = { plan, changes: [], diagnostics: [] };
  const entry = { plan, result, diagnostics: [], path: (file: string) => file };
  expect(renderGithub({ kind: 'apply', entries: [entry] })).toContain(
    '::warning title=admin access%3A team-access.pay/ops::admin access: team-access.pay/ops%0Alive, not declared\n',
  );
});
