import { expect, test } from 'vitest';
import { detectOverwrites } from '../../src/live/inherited-execution.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';
import { ServiceError } from '../../src/service/service-error.ts';

const inheriting: WorkspaceResource = {
  kind: 'workspace',
  address: 'workspace.app',
  name: 'app',
  attributes: {
    'execution-mode': 'agent',
    'agent-pool-id': 'apool-1',
    'setting-overwrites.execution-mode': false,
    'setting-overwrites.agent-pool': false,
  },
};

test('setting-overwrites are meaningless if the organization has no default mode to inherit', async () => {
  const capabilities = createCapabilities();
  const app = { ...inheriting, attributes: { ...inheriting.attributes, 'execution-mode': 'remote' } };
  const { 'agent-pool-id': _pool, ...attributes } = app.attributes;
  const organization = { id: 'acme', type: 'organizations', attributes: { name: 'acme' } };
  const reader = { capabilities, get: async () => ({ data: organization }) };
  const query = { organization: 'acme', ownExecutionOf: new Set(['app']) };
  await detectOverwrites(reader, { query, convert: () => app, whole: true }, [{ ...app, attributes }]);
  expect(capabilities.missing()).toEqual(['setting-overwrites']);
});

test('setting-overwrites that no workspace has are not offered', async () => {
  const capabilities = createCapabilities();
  const reader = { capabilities, get: async () => ({}) };
  const app = { ...inheriting, attributes: { 'execution-mode': 'remote' } };
  await detectOverwrites(reader, { query: { organization: 'acme' }, convert: () => app, whole: true }, [app]);
  expect(capabilities.missing()).toEqual(['setting-overwrites']);
});

test.each([404, 405, 501])(
  'a service that answers %i for the organization has meaningless setting-overwrites',
  async (status) => {
    const capabilities = createCapabilities();
    const reader = {
      capabilities,
      get: async (path: string) => {
        throw new ServiceError({ method: 'GET', path }, status, []);
      },
    };
    await detectOverwrites(
      reader,
      { query: { organization: 'acme' }, convert: () => inheriting, whole: true },
      [inheriting],
    );
    expect(capabilities.missing()).toEqual(['setting-overwrites']);
  },
);
