import { describe, expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';
import { isSoak } from '../support/cases.ts';

/** The soak tier takes a larger organization. */
const count = isSoak ? 2000 : 200;
const names = Array.from({ length: count }, (_, index) => `app-${String(index + 1).padStart(4, '0')}`);
const risky = 'app-0100';

function files(): string {
  const own = (name: string) => (name === risky ? ', auto-apply: true' : '');
  return [
    'attune: 1',
    'organization: acme',
    'templates:',
    '  service:',
    '    iac-version: 1.10.2',
    'workspaces:',
    ...names.map((name) => `  ${name}: {extends: service${own(name)}}`),
    '',
  ].join('\n');
}

const seed = {
  workspaces: Object.fromEntries(
    names.map((name) => [name, { 'iac-version': '1.9.5', ...(name === 'app-0007' && { description: 'x' }) }]),
  ),
};

test('a plan of many equal updates begins with the one workspace that turns on auto-apply', async () => {
  const world = await worldWith(files(), { seed });
  const { code, stdout } = await world.attune('plan');
  expect([code, stdout.replace(world.service.url, 'http://service')]).toEqual([
    0,
    `\
acme  http://service

Needs attention:
  ! auto-apply on: workspace.app-0100            auto-apply: false -> true  attune.yaml:106

  ~ iac-version: 1.9.5 -> 1.10.2  ${(count - 1).toLocaleString('en')} workspaces  attune.yaml:5
      app-0001, app-0002, app-0003, app-0004, app-0005 and ${(count - 6).toLocaleString('en')} more (--full lists them)
  ~ workspace.app-0100                           attune.yaml:106
      auto-apply: false -> true
      iac-version: 1.9.5 -> 1.10.2

Plan: 0 to create, ${count} to update, 0 to delete, 0 unchanged. ${count} calls.
`,
  ]);
  const full = await world.attune('plan', '--full');
  expect(full.stdout.split('\n')).toHaveLength(2 * count + 9);
  const markdown = await world.attune('plan', '--format', 'markdown');
  expect(markdown.stdout).toContain(
    '- **auto-apply on**: `workspace.app-0100`: `auto-apply: false -> true` (`attune.yaml:106`)',
  );
  expect(markdown.stdout.length).toBeLessThan(1500);
});

describe('GitHub annotations of equal updates', () => {
  const moved = (workspaces: NonNullable<Seed['workspaces']>) =>
    worldWith(
      `attune: 1
organization: acme
service: {dialect: terraform}
projects: {a: {name: A}, b: {name: B}}
workspaces: {${Object.keys(workspaces)
        .map((name) => `${name}: {project: b}`)
        .join(', ')}}
`,
      {
        dialect: 'terraform',
        seed: {
          settings: { 'default-project': 'A' },
          projects: { A: { 'default-execution-mode': 'remote' }, B: { 'default-execution-mode': 'local' } },
          workspaces,
        },
      },
    );
  const own = {
    project: 'A',
    'execution-mode': 'remote',
    'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
  };
  const inherited = { project: 'A' };

  test.each([
    ['last', { one: own, two: own, three: own, z: inherited }],
    ['first', { a: inherited, one: own, two: own, three: own }],
  ])('a risk of the %s of equal updates is a warning of this one alone', async (_which, workspaces) => {
    const { stdout } = await (await moved(workspaces)).attune('plan', '--format', 'github');
    const warnings = stdout.match(/^::warning .*$/gm) ?? [];
    expect(warnings).toEqual([
      expect.stringMatching(
        /title=update workspace\.[az]::.*needs attention: execution mode: execution-mode: remote -> local/,
      ),
    ]);
    expect(stdout.match(/^::notice .*$/gm)?.[0]).toContain('3 workspaces');
  });

  test('equal updates with equal risks are one warning', async () => {
    const world = await moved({ a: inherited, b: inherited, c: inherited });
    const { stdout } = await world.attune('plan', '--format', 'github');
    expect(stdout.match(/^::warning .*$/gm)).toEqual([
      expect.stringMatching(
        /3 workspaces.*needs attention: execution mode: execution-mode: remote -> local.*a, b, c/,
      ),
    ]);
  });
});
