import { expect, test } from 'vitest';
import { noteMissingFlags } from '../../src/live/overwrite-flags.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';

test('setting-overwrites that no workspace has are not offered', () => {
  const capabilities = createCapabilities();
  const attributes = { 'execution-mode': 'remote' } as const;
  noteMissingFlags({ capabilities }, [
    { kind: 'workspace', address: 'workspace.app', name: 'app', attributes },
  ]);
  expect(capabilities.missing()).toEqual(['setting-overwrites']);
});
