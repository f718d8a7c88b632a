import { expect, test } from 'vitest';
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
  hint: check brackets, quotes and indentation in this line and the line before it
`,
  },
  {
    title: 'a line that is indented more than the key before it',
    yaml: `
workspaces:
  a:
    description: x

     auto-apply: true
`,
    printed: `
attune.yaml:7:6: error[yaml-syntax]: this line is indented more than the value before it, so YAML reads it as a part of that value
  7 |      auto-apply: true
    |      ^
  hint: indent the line like the key before it
`,
  },
  {
    title: 'a line that is indented less than the other keys',
    yaml: `
workspaces:
  a:
    description: x
   auto-apply: true
`,
    printed: `
attune.yaml:6:1: error[yaml-syntax]: All mapping items must start at the same column
  6 |    auto-apply: true
    | ^
  hint: indent this line like the other keys of its mapping, or the entries of its list
`,
  },
  {
    title: 'a value that contains a colon',
    yaml: `
workspaces:
  a:
    description: note: this
`,
    printed: `
attune.yaml:5:18: error[yaml-syntax]: Nested mappings are not allowed in compact mappings
  5 |     description: note: this
    |                  ^
  hint: put quotes around a value that contains ": "
`,
  },
  {
    title: 'an empty included file',
    files: {
      'attune.yaml': `
attune: 1
organization: acme
include: [a.yaml]
`,
      'a.yaml': `
# none
`,
    },
    printed: `
a.yaml:1:1: error[empty-file]: the file is empty
  1 | # none
    | ^
  hint: add a declaration, or remove the file from include
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
attune.yaml:4:1: error[several-documents]: a second document starts here, but a file contains one document
  4 | attune: 1
    | ^
  hint: remove the "---", or move the second document to another file and name it under include
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
attune.yaml:1:1: error[empty-file]: the file is empty
  1 | # nothing yet
    | ^
  hint: start the file with "attune: 1" and "organization: ...", or run \`attune init\` in a new folder
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
attune.yaml:1:1: error[wrong-type]: the file must contain a mapping
  1 | - attune: 1
    | ^
  hint: start the file with "attune: 1" and "organization: ..."
`,
  },
  {
    title: 'bytes that are not UTF-8',
    files: {
      'attune.yaml': Buffer.from('attune: 1\norganization: café\n', 'latin1'),
    },
    printed: `
attune.yaml:2:18: error[not-utf8]: the file is not UTF-8 text
  hint: save the file as UTF-8
`,
  },
  {
    title: 'a key that occurs twice in a mapping is reported at both locations',
    yaml: `
workspaces:
  a:
    auto-apply: true
    auto-apply: false
`,
    printed: `
attune.yaml:5:5: error[duplicate-key]: duplicate key "auto-apply": also at attune.yaml:6:5
  5 |     auto-apply: true
    |     ^
  hint: keep one of them
attune.yaml:6:5: error[duplicate-key]: duplicate key "auto-apply": also at attune.yaml:5:5
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
attune.yaml:4:3: error[duplicate-key]: duplicate key "a": also at attune.yaml:5:3
  4 |   a: {}
    |   ^
  hint: keep one of them
attune.yaml:5:3: error[duplicate-key]: duplicate key "a": also at attune.yaml:4:3
  5 |   a: {}
    |   ^
  hint: keep one of them
attune.yaml:6:3: error[duplicate-key]: duplicate key "a": also at attune.yaml:4:3
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
attune.yaml:4:6: error[unknown-anchor]: unknown anchor &shared: it is not defined before this line
  4 |   a: *shared
    |      ^
  hint: define &shared earlier in the same file
`,
  },
  {
    title: 'aliases without anchors are reported once, together with the other problems',
    files: {
      'attune.yaml': `
attune: 1
organization: *name
service: {rate: *per-second, timeout: 0}
projects: {web: *web, shop: prj-1}
scope: {tags: [*tag]}
prune: {workspaces: safe}
templates:
  base: *base
workspaces:
  a: {<<: *merged, auto-aply: true}
  b: {project: web, extends: base, tags: [x, *tag], iac-version: 1.25, description: *later}
  later: {description: &later x}
  near: {description: &words x, source-name: *wrds}
  c: {*key : 1}
  d: {remote-state-consumers: [{tag: *tag}, {name: *name, tag: x}]}
team-access:
  web: {team-1: *level, team-2: {access: *level, project-access: {settings: *level}}}
  shop: {team-1: {<<: [*custom]}, team-2: wirte}
`,
    },
    printed: `
attune.yaml:2:15: error[unknown-anchor]: unknown anchor &name: it is not defined before this line
  2 | organization: *name
    |               ^
  hint: define &name earlier in the same file
attune.yaml:3:17: error[unknown-anchor]: unknown anchor &per-second: it is not defined before this line
  3 | service: {rate: *per-second, timeout: 0}
    |                 ^
  hint: define &per-second earlier in the same file
attune.yaml:3:39: error[bad-value]: "timeout" cannot be 0
  3 | service: {rate: *per-second, timeout: 0}
    |                                       ^
  hint: write a number above 0
attune.yaml:4:17: error[unknown-anchor]: unknown anchor &web: it is not defined before this line
  4 | projects: {web: *web, shop: prj-1}
    |                 ^
  hint: define &web earlier in the same file
attune.yaml:5:16: error[unknown-anchor]: unknown anchor &tag: it is not defined before this line
  5 | scope: {tags: [*tag]}
    |                ^
  hint: define &tag earlier in the same file
attune.yaml:8:9: error[unknown-anchor]: unknown anchor &base: it is not defined before this line
  8 |   base: *base
    |         ^
  hint: define &base earlier in the same file
attune.yaml:10:11: error[unknown-anchor]: unknown anchor &merged: it is not defined before this line
  10 |   a: {<<: *merged, auto-aply: true}
     |           ^
  hint: define &merged earlier in the same file
attune.yaml:11:46: error[unknown-anchor]: unknown anchor &tag: it is not defined before this line
  11 |   b: {project: web, extends: base, tags: [x, *tag], iac-version: 1.25, description: *later}
     |                                              ^
  hint: define &tag earlier in the same file
attune.yaml:11:66: error[unquoted-version]: "iac-version" must be text: 1.25 is read as a number
  11 |   b: {project: web, extends: base, tags: [x, *tag], iac-version: 1.25, description: *later}
     |                                                                  ^
  hint: quote it: "1.25"
attune.yaml:11:85: error[unknown-anchor]: unknown anchor &later: it is not defined before this line
  11 |   b: {project: web, extends: base, tags: [x, *tag], iac-version: 1.25, description: *later}
     |                                                                                     ^
  hint: move &later before its first use: it is defined further down
attune.yaml:13:46: error[unknown-anchor]: unknown anchor &wrds: it is not defined before this line
  13 |   near: {description: &words x, source-name: *wrds}
     |                                              ^
  hint: did you mean *words?
attune.yaml:14:7: error[unknown-anchor]: unknown anchor &key: it is not defined before this line
  14 |   c: {*key : 1}
     |       ^
  hint: define &key earlier in the same file
attune.yaml:15:38: error[unknown-anchor]: unknown anchor &tag: it is not defined before this line
  15 |   d: {remote-state-consumers: [{tag: *tag}, {name: *name, tag: x}]}
     |                                      ^
  hint: define &tag earlier in the same file
attune.yaml:15:52: error[unknown-anchor]: unknown anchor &name: it is not defined before this line
  15 |   d: {remote-state-consumers: [{tag: *tag}, {name: *name, tag: x}]}
     |                                                    ^
  hint: define &name earlier in the same file
attune.yaml:17:17: error[unknown-anchor]: unknown anchor &level: it is not defined before this line
  17 |   web: {team-1: *level, team-2: {access: *level, project-access: {settings: *level}}}
     |                 ^
  hint: define &level earlier in the same file
attune.yaml:17:42: error[unknown-anchor]: unknown anchor &level: it is not defined before this line
  17 |   web: {team-1: *level, team-2: {access: *level, project-access: {settings: *level}}}
     |                                          ^
  hint: define &level earlier in the same file
attune.yaml:17:77: error[unknown-anchor]: unknown anchor &level: it is not defined before this line
  17 |   web: {team-1: *level, team-2: {access: *level, project-access: {settings: *level}}}
     |                                                                             ^
  hint: define &level earlier in the same file
attune.yaml:18:24: error[unknown-anchor]: unknown anchor &custom: it is not defined before this line
  18 |   shop: {team-1: {<<: [*custom]}, team-2: wirte}
     |                        ^
  hint: define &custom earlier in the same file
attune.yaml:18:43: error[bad-value]: "team-2" cannot be "wirte": it is neither a level nor a role
  18 |   shop: {team-1: {<<: [*custom]}, team-2: wirte}
     |                                           ^
  hint: did you mean "write"?
`,
  },
  {
    title: 'an alias inside its own anchor',
    yaml: `
workspaces: &all
  a: *all
`,
    printed: `
attune.yaml:4:6: error[unknown-anchor]: the alias *all is inside its own anchor &all
  4 |   a: *all
    |      ^
  hint: replace the alias with its value
`,
  },
  {
    title: 'a merge of a value that is not a mapping',
    yaml: `
workspaces:
  a: {<<: [1]}
`,
    printed: `
attune.yaml:4:11: error[wrong-type]: << must be a mapping or a list of mappings
  4 |   a: {<<: [1]}
    |           ^
  hint: write <<: *anchor with an anchor of a mapping
`,
  },
  {
    title: 'a key that is a list',
    yaml: `
workspaces:
  [a, b]: {}
`,
    printed: `
attune.yaml:4:3: error[wrong-type]: a key must be a string
  4 |   [a, b]: {}
    |   ^
  hint: put quotes around it if the brackets belong to the name
`,
  },
];

test.each(cases)('validate reports invalid YAML: $title', async (given) => {
  expect(await printedProblems(given)).toBe(given.printed.slice(1));
});
