import { expect, test } from 'vitest';
import { hasErrors } from '../../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../../src/report/text/diagnostics-text.ts';
import { loadFiles, rootText } from '../../desired/load-files.ts';

const megabyte = 1024 * 1024;
const long = 'x'.repeat(15 * megabyte);

test.each([
  ['a description', `workspaces: {a: {description: ${long}}}`, false],
  ['a quoted text', `workspaces: {a: {description: "${'\\n'.repeat(7 * megabyte)}"}}`, false],
  ['a block of lines', `workspaces:\n  a:\n    description: |\n${'      x x x x\n'.repeat(megabyte)}`, false],
  ['a tag', `workspaces: {a: {tags: [${long}]}}`, false],
  ['a version', `workspaces: {a: {iac-version: ${long}}}`, false],
  ['a pattern', `workspaces: {a: {remote-state-consumers: [{name: "${'*a'.repeat(7 * megabyte)}"}]}}`, false],
  ['an unknown key', `workspaces: {a: {${long}: 1}}`, true],
  ['a mode', `workspaces: {a: {execution-mode: ${long}}}`, true],
  ['a template', `workspaces: {a: {extends: ${long}}}`, true],
  ['a duration', `workspaces: {a: {auto-destroy-activity-duration: ${long}}}`, true],
  ['a time', `workspaces: {a: {auto-destroy-at: ${long}}}`, true],
  ['a number', `workspaces: {a: {auto-apply: ${'9'.repeat(15 * megabyte)}}}`, true],
  ['a name', `workspaces: {a: {project: "${long}!"}}`, false],
  ['an id of another kind', `projects: {a: "ws-${long}"}`, false],
])('a value of 15 MiB is read or refused with a short error: %s', async (_title, body, refused) => {
  const { diagnostics } = await loadFiles({ 'attune.yaml': rootText(body) });
  expect(hasErrors(diagnostics)).toBe(refused);
  expect(renderDiagnostics(diagnostics).length).toBeLessThan(4000);
});

test('a file of 7 million separators is refused before it uses much memory', async () => {
  const body = `workspaces: {a: {trigger-prefixes: [${'a,'.repeat(7 * megabyte)}]}}`;
  const { diagnostics } = await loadFiles({ 'attune.yaml': rootText(body) });
  expect(diagnostics.map(({ code, message, hint }) => `${code}: ${message}; ${hint}`)).toEqual([
    'file-too-large: the file has more than 3000000 words and signs; split it and name the parts under include',
  ]);
});
