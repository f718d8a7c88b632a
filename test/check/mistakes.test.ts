import { expect, test } from 'vitest';
import { refuseMistakes } from '../../src/check/mistakes.ts';
import { bareConfiguration } from '../../src/model/configuration.ts';
import { type Diagnostic, problem, warning } from '../../src/model/diagnostic.ts';

type Refused = Parameters<typeof refuseMistakes>[0];

const kept = { keeps: [], held: new Map(), changes: [], diagnostics: [], isDated: false };

const difference = (diagnostics: readonly Diagnostic[]) =>
  ({
    changes: [],
    after: [],
    unmanaged: [],
    unchanged: 0,
    owners: new Map(),
    diagnostics,
  }) as unknown as Refused['difference'];

function refused(mistake: Diagnostic, found: Refused['difference']) {
  const live = {
    missing: [],
    dialect: 'iac',
    state: { organization: 'acme', resources: new Map() },
    diagnostics: [],
  };
  refuseMistakes({
    configuration: bareConfiguration('acme', '/'),
    live: live as unknown as Refused['live'],
    difference: difference([mistake]),
    chosen: () => true,
    beside: { found, kept },
  });
}

test('a warning that was found at the same address does not hide what --only-changed leaves out', () => {
  const at = { at: { address: 'workspace.app' } };
  const found = difference([warning('locked-delete', 'it is locked', at)]);
  const refuse = () => refused(problem('protected', 'it cannot be deleted', at), found);
  const because = 'because --only-changed leaves out what the base declares as well';
  expect(refuse).toThrow(
    expect.objectContaining({
      diagnostics: [expect.objectContaining({ message: `it cannot be deleted, ${because}` })],
    }),
  );
});
