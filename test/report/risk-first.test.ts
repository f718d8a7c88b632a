import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const names = Array.from({ length: 2000 }, (_, index) => `app-${String(index + 1).padStart(4, '0')}`);
const risky = 'app-1000';

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

test('a plan of 2,000 equal updates begins with the one workspace that turns on auto-apply', async () => {
  const world = await worldWith(files(), { seed });
  const { code, stdout } = await world.attune('plan');
  expect([code, stdout.replace(world.service.url, 'http://service')]).toEqual([
    0,
    `\
acme  http://service

Needs attention:
  ! auto-apply on: workspace.app-1000            auto-apply: false -> true  attune.yaml:1006

  ~ iac-version: 1.9.5 -> 1.10.2  1,999 workspaces  attune.yaml:5
      app-0001, app-0002, app-0003, app-0004, app-0005 and 1,994 more (--full lists them)
  ~ workspace.app-1000                           attune.yaml:1006
      auto-apply: false -> true
      iac-version: 1.9.5 -> 1.10.2

Plan: 0 to create, 2000 to update, 0 to delete, 0 unchanged. 2000 calls.
`,
  ]);
  const full = await world.attune('plan', '--full');
  expect(full.stdout.split('\n')).toHaveLength(4009);
  const markdown = await world.attune('plan', '--format', 'markdown');
  expect(markdown.stdout).toContain(
    '- **auto-apply on**: `workspace.app-1000`: `auto-apply: false -> true` (`attune.yaml:1006`)',
  );
  expect(markdown.stdout.length).toBeLessThan(1500);
});
