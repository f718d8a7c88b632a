import { expect, test } from 'vitest';
import { grantTarget } from '../../src/diff/grants.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';

test('a permission that the server does not return is not compared, and naming it is a note', () => {
  const grant = { kind: 'team-access', address: 'team-access.pay/sre', name: 'pay/sre' } as const;
  const access = { project: 'prj-pay', team: 'team-sre', access: 'custom' } as const;
  const desired = {
    ...grant,
    attributes: {
      ...access,
      'project-access.variable-sets': 'write',
      'workspace-access.runs': 'plan',
      'workspace-access.policy-overrides': false,
    },
  };
  const diagnostics: Diagnostic[] = [];
  const target = grantTarget(desired, { ...grant, attributes: access }, 'terraform', diagnostics);
  expect(target.attributes).toEqual(access);
  const shown = diagnostics.map(({ severity, code, message, address }) => [
    `${severity} ${code}: ${message}`,
    address,
  ]);
  expect(shown).toEqual([
    [
      'note not-offered: project-access.variable-sets of "pay/sre" is ignored: this service does not return it',
      'team-access.pay/sre',
    ],
    [
      'note not-offered: workspace-access.runs of "pay/sre" is ignored: this service does not return it',
      'team-access.pay/sre',
    ],
  ]);
});
