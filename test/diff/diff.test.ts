import { expect, test } from 'vitest';
import { deduplicate, diff } from '../../src/diff/diff.ts';

import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { configured } from '../desired/load-files.ts';

const whole = {
  dialect: 'iac',
  whole: true,
  scopeWhole: false,
  names: new Map(),
  projects: [],
  missing: [],
  diagnostics: [],
} as const;

function problem(name: string, about: string, line = 4): Diagnostic {
  return {
    severity: 'error',
    code: 'unknown-name',
    message: `"${name}" needs "${about}"`,
    address: `workspace.${name}`,
    location: { file: 'attune.yaml', line, column: 3 },
  };
}

const shown = (diagnostics: readonly Diagnostic[]) =>
  deduplicate(diagnostics).map(({ address, message }) => `${address}: ${message}`);

test('a line that is wrong for many workspaces is reported once, at the first workspace', () => {
  expect(shown(['a', 'b', 'c'].map((name) => problem(name, 'x')))).toEqual([
    'workspace.a: "a" needs "x" (and 2 more workspaces)',
  ]);
  expect(shown(['b', 'a'].map((name) => problem(name, 'x')))).toEqual([
    'workspace.b: "b" needs "x" (and 1 more workspace)',
  ]);
});

test('problems with other texts, lines or severities are reported separately, in their order', () => {
  expect(
    shown([
      problem('a', 'x'),
      problem('a', 'y'),
      problem('b', 'x', 5),
      { ...problem('b', 'x'), severity: 'note' },
      { ...problem('b', 'x'), code: 'other' },
    ]),
  ).toEqual([
    'workspace.a: "a" needs "x"',
    'workspace.a: "a" needs "y"',
    'workspace.b: "b" needs "x"',
    'workspace.b: "b" needs "x"',
    'workspace.b: "b" needs "x"',
  ]);
});

test('the diff reports the effect of a line of the defaults once', async () => {
  const names = ['a', 'b', 'c'];
  const configuration = await configured(`
defaults:
  workspace: {source-name: attune, remote-state-consumers: [netwrok, warehouse]}
workspaces: {${names.map((name) => `${name}: {}`).join(', ')}}
`);
  const resources = [...names, 'network'].map((name) => ({
    kind: 'workspace' as const,
    address: `workspace.${name}`,
    name,
    id: `ws-${name}`,
    attributes: {},
  }));
  const { diagnostics } = diff(configuration, {
    state: {
      organization: 'acme',
      resources: new Map(resources.map((resource) => [resource.address, resource])),
    },
    ...whole,
  });
  expect(renderDiagnostics(diagnostics)).toBe(`\
attune.yaml:4:15: note[create-only]: source-name of "a" differs and is ignored: it can be set on create only (and 2 more workspaces)
attune.yaml:4:61: error[unknown-name]: unknown workspace "netwrok": it is neither declared nor present in organization acme (and 2 more workspaces)
  hint: did you mean "network"?
attune.yaml:4:70: error[unknown-name]: unknown workspace "warehouse": it is neither declared nor present in organization acme (and 2 more workspaces)
  hint: declare the workspace, or check that the token may see it
`);
});

test('a list that needs a workspace of a root file with errors names this file', async () => {
  const configuration = await configured('workspaces: {app: {remote-state-consumers: [new]}, new: {}}');
  const { diagnostics } = diff(
    { ...configuration, leftOut: new Map([['workspace.new', 'c.yaml']]) },
    { state: { organization: 'acme', resources: new Map() }, ...whole },
    { chosen: (address) => address === 'workspace.app' },
  );
  expect(renderDiagnostics(diagnostics)).toBe(`\
attune.yaml:3:45: error[root-file-missing]: "app" requires "new", which does not exist yet and which the plan without c.yaml leaves out
  hint: correct c.yaml
`);
});
