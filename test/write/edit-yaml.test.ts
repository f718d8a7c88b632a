import { expect, test } from 'vitest';
import { editYaml } from '../../src/write/edit-yaml.ts';
import { rowsIn } from '../support/rows.ts';

/** What the text tables cannot show: line ends, marks and the end of a file. */
test.each(rowsIn<[string, string, readonly string[], string]>`
- [after a comment that ends the file, "projects:\n  old: prj-0\n  # new", [projects], "projects:\n  old: prj-0\n  # new\n  new: prj-1\n"]
- [as a section of a file without a last line end, "attune: 1", [projects], "attune: 1\n\nprojects:\n  new: prj-1\n"]
- [into JSON, '{"attune": 1, "projects": {}}', [projects], '{"attune": 1, "projects": {new: prj-1}}']
- [with the line ends of the file, "projects:\r\n  a: prj-0\r\n", [projects], "projects:\r\n  a: prj-0\r\n  new: prj-1\r\n"]
- [after a byte order mark, "\uFEFFattune: 1\n", [projects], "\uFEFFattune: 1\n\nprojects:\n  new: prj-1\n"]
- [after a byte order mark and a key without a value, "\uFEFFprojects:\n", [projects], "\uFEFFprojects:\n  new: prj-1\n"]
`)('an edit adds entries %s', (_where, before, path, after) => {
  expect(editYaml(before, { file: 'attune.yaml', path, add: { new: 'prj-1' } })).toBe(after);
});

test('an edit without new entries leaves the text unchanged', () => {
  expect(editYaml('a: 1', { file: 'attune.yaml', path: ['projects'], add: {} })).toBe('a: 1');
});

test.each(rowsIn<[string, string]>`
- ['other lines use its anchor &base in attune.yaml', "workspaces:\n  a: &base {auto-apply: false}\n  b: *base\n"]
- ['attune.yaml: cannot add to workspaces.a: it is not a plain mapping', "workspaces:\n  a: [x]\n"]
`)('an edit fails: %s', (message, text) => {
  const edit = { file: 'attune.yaml', path: ['workspaces', 'a'], add: { 'auto-apply': true } };
  expect(() => editYaml(text, edit)).toThrow(message);
});
