import { expect, test } from 'vitest';
import { matchesAddress } from '../../src/model/selector.ts';

test.each([
  ['workspace.app-?', 'workspace.app-1', true],
  ['workspace.app-?', 'workspace.app-10', false],
  ['workspace.app-??', 'workspace.app-10', true],
  ['*?', '', false],
  ['*', '', true],
  ['*-?*', 'workspace.app-1', true],
  ['workspace.*-prod', 'workspace.a-prod-prod', true],
  ['workspace.*-prod', 'workspace.a-prod-x', false],
  ['a.b', 'axb', false],
] as const)('--only %s and the address "%s" match: %s', (pattern, address, matches) => {
  expect(matchesAddress(pattern, address)).toBe(matches);
});
