import { expect, test } from 'vitest';
import { refuseMistakes } from '../../src/check/mistakes.ts';
import { withFound } from '../../src/hold/keep-live.ts';
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

test('a mistake that shows after the run has read more for its effects does not blame --only-changed', () => {
  const mistake = problem('protected', 'workspace "app" cannot be deleted', {
    at: { address: 'workspace.app' },
  });
  const live = {
    missing: [],
    dialect: 'iac',
    state: { organization: 'acme', resources: new Map() },
    diagnostics: [],
  };
  const refuse = () =>
    refuseMistakes({
      configuration: bareConfiguration('acme', '/'),
      live: live as unknown as Refused['live'],
      difference: difference([mistake]),
      chosen: () => true,
      beside: { found: difference([]), kept },
    });
  expect(refuse).toThrow(expect.objectContaining({ diagnostics: [mistake] }));
});

test('a warning that shows after the run has read more for its effects is a part of the plan', () => {
  const found = warning('locked-delete', 'it is locked');
  expect(withFound(difference([found]), difference([]), kept).diagnostics).toEqual([found]);
});
