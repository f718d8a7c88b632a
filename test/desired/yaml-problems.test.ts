import { describe, expect, test } from 'vitest';
import { type Case, printedProblems } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'a line that is not YAML',
    yaml: `
workspaces:
  a: {auto-apply: true
  b: {}
`,
    printed: `
attune.yaml:5:3: error[yaml-syntax]: Flow map in block collection must be sufficiently indented and end with a }
  5 |   b: {}
    |   ^
  hint: look at this line and the one before it: brackets, quotes, indentation
`,
  },
  {
    title: 'a tab as indentation',
    yaml: `
workspaces:
	a: {}
`,
    printed: `
attune.yaml:4:1: error[yaml-syntax]: Tabs are not allowed as indentation
  4 |     a: {}
    | ^
  hint: indent with spaces
`,
  },
  {
    title: 'a tag that would run something',
    yaml: `
workspaces:
  a: {description: !env HOME}
`,
    printed: `
attune.yaml:4:20: error[yaml-syntax]: unknown tag !env; YAML is plain data here
  4 |   a: {description: !env HOME}
    |                    ^
  hint: remove the tag, or put quotes around the value if the "!" belongs to it
`,
  },
  {
    title: 'a second document',
    yaml: `
---
attune: 1
`,
    printed: `
attune.yaml:4:1: error[several-documents]: a file holds one document, and here a second one starts
  4 | attune: 1
    | ^
  hint: remove the "---", or put the rest into a file of its own and name it under include
`,
  },
  {
    title: 'an empty file',
    files: {
      'attune.yaml': `
# nothing yet
`,
    },
    printed: `
attune.yaml:1:1: error[empty-file]: there is nothing in this file
  1 | # nothing yet
    | ^
  hint: remove it from include, or write what it shall declare
`,
  },
  {
    title: 'a list instead of a mapping',
    files: {
      'attune.yaml': `
- attune: 1
`,
    },
    printed: `
attune.yaml:1:1: error[wrong-type]: a file holds a mapping
  1 | - attune: 1
    | ^
  hint: begin with "attune: 1" and "organization: ..."
`,
  },
  {
    title: 'bytes that are not UTF-8',
    files: {
      'attune.yaml': Buffer.from('attune: 1\norganization: café\n', 'latin1'),
    },
    printed: `
attune.yaml:2:18: error[not-utf8]: the file is not UTF-8 text
  hint: save it as UTF-8
`,
  },
  {
    title: 'a key twice in a mapping, told at both places',
    yaml: `
workspaces:
  a:
    auto-apply: true
    auto-apply: false
`,
    printed: `
attune.yaml:5:5: error[duplicate-key]: "auto-apply" stands twice in this mapping, also at attune.yaml:6:5
  5 |     auto-apply: true
    |     ^
  hint: keep one of them
attune.yaml:6:5: error[duplicate-key]: "auto-apply" stands twice in this mapping, also at attune.yaml:5:5
  6 |     auto-apply: false
    |     ^
  hint: keep one of them
`,
  },
  {
    title: 'a workspace three times in a mapping',
    yaml: `
workspaces:
  a: {}
  a: {}
  a: {}
`,
    printed: `
attune.yaml:4:3: error[duplicate-key]: "a" stands twice in this mapping, also at attune.yaml:5:3
  4 |   a: {}
    |   ^
  hint: keep one of them
attune.yaml:5:3: error[duplicate-key]: "a" stands twice in this mapping, also at attune.yaml:4:3
  5 |   a: {}
    |   ^
  hint: keep one of them
attune.yaml:6:3: error[duplicate-key]: "a" stands twice in this mapping, also at attune.yaml:4:3
  6 |   a: {}
    |   ^
  hint: keep one of them
`,
  },
  {
    title: 'an alias without its anchor',
    yaml: `
workspaces:
  a: *shared
`,
    printed: `
attune.yaml:4:6: error[unknown-anchor]: no anchor &shared stands before this
  4 |   a: *shared
    |      ^
  hint: correct the name; an anchor holds for the rest of its own file
`,
  },
  {
    title: 'an alias inside its own anchor',
    yaml: `
workspaces: &all
  a: *all
`,
    printed: `
attune.yaml:4:6: error[unknown-anchor]: *all stands inside &all itself
  4 |   a: *all
    |      ^
  hint: write out what is meant
`,
  },
  {
    title: 'a merge of something that is no mapping',
    yaml: `
workspaces:
  a: {<<: [1]}
`,
    printed: `
attune.yaml:4:11: error[wrong-type]: << takes a mapping, or a list of mappings
  4 |   a: {<<: [1]}
    |           ^
  hint: write <<: *anchor, with the anchor at a mapping
`,
  },
  {
    title: 'a key that is a list',
    yaml: `
workspaces:
  [a, b]: {}
`,
    printed: `
attune.yaml:4:3: error[wrong-type]: a key has to be text
  4 |   [a, b]: {}
    |   ^
  hint: put quotes around it if the brackets belong to the name
`,
  },
];

describe('files that are not good YAML', () => {
  test.each(cases)('$title', async (given) => {
    expect(await printedProblems(given)).toBe(given.printed.slice(1));
  });
});
