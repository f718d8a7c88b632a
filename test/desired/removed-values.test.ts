import { expect, test } from 'vitest';
import { loadFiles, printedProblems } from './printed-problems.ts';
import { everyKey, otherTypes, pathsIn, withValue } from './typed-mutations.ts';

test('validate reports the value of a key/value tag that is not text, in every form and layer', async () => {
  const yaml = `
projects: {p: {id: prj-1, manage: true, tag-bindings: {cost: 101}}}
defaults: {workspace: {tag-bindings: {add: {cost: 102}}}}
workspaces:
  a: {tag-bindings: {cost: true}}
  b: {tag-bindings: {exactly: {cost: [x]}}}
  c: {tag-bindings: {add: text, remove: [old]}}
  d: {tag-bindings: {add: {cost: x}, remove: text}}
  e: {tag-bindings: {add: {cost: x}, other: x}}
  f: {tag-bindings: {exactly: {cost: x}, add: text}}
guards: {protect: [{tag: [101]}]}
`;
  const printed = await printedProblems({ yaml });
  const lines = printed.split('\n').filter((line) => line.includes('error['));
  expect(lines.map((line) => line.replace(/:\d+: error.*/, ''))).toEqual(
    [3, 4, 6, 7, 8, 9, 10, 11, 12].map((line) => `attune.yaml:${line}`),
  );
  expect(printed).toContain(
    'attune.yaml:3:62: error[wrong-type]: "cost" must be text or null: 101 is read as a number',
  );
});

test('a value of another type at a key of tags, guards or scopes is never an exception', async () => {
  const sections = ['guards', 'scope', 'defaults', 'roles'];
  const paths = pathsIn(everyKey).filter(
    (path) => sections.includes(String(path[0])) || path.includes('tag-bindings'),
  );
  for (const path of paths)
    for (const value of otherTypes.filter((_value, index) => index % 3 === 0)) {
      const text = JSON.stringify(withValue({ ...everyKey, include: [] }, path, value));
      const { diagnostics } = await loadFiles({ 'attune.yaml': text });
      expect(diagnostics.filter(({ message }) => message.includes('undefined'))).toEqual([]);
    }
});
