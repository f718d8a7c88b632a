import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { insertEntries } from '../../src/write/insert-entries.ts';
import { workspacePairs } from '../../src/write/render-file.ts';
import { scalar } from '../../src/write/yaml-nodes.ts';

const long = workspacePairs(
  new Map([
    ['b', { own: new Map([['description', 'new']]) }],
    ['c', { own: new Map([['vcs-repo.branch', 'main']]) }],
  ]),
);
const short = [['new', scalar('prj-1')]] as const;

test.each([
  [
    'behind the last entry, with an empty line between, and before the comment that follows',
    'workspaces:\n  a:\n    auto-apply: true # why\n\n# about access\nteam-access: {}\n',
    ['workspaces'],
    long,
    'workspaces:\n  a:\n    auto-apply: true # why\n\n  b:\n    description: new\n\n  c:\n    vcs-repo: {branch: main}\n\n# about access\nteam-access: {}\n',
  ],
  [
    'behind comments that stand as deep as the entries',
    'workspaces:\n  a: {}\n  aa: {} # last\n\n  # b: {}\n    # of b\n\n# about access\nteam-access: {}\n',
    ['workspaces'],
    long.slice(0, 1),
    'workspaces:\n  a: {}\n  aa: {} # last\n\n  # b: {}\n    # of b\n  b:\n    description: new\n\n# about access\nteam-access: {}\n',
  ],
  [
    'behind a comment that ends the file',
    'workspaces:\n  a: {}\n  aa: {}\n  # b: {}',
    ['workspaces'],
    long.slice(0, 1),
    'workspaces:\n  a: {}\n  aa: {}\n  # b: {}\n  b:\n    description: new\n',
  ],
  [
    'without empty lines, where those that are there have none',
    'workspaces:\n  a: {}\n  aa: {}\nteams: {}\n',
    ['workspaces'],
    long,
    'workspaces:\n  a: {}\n  aa: {}\n  b:\n    description: new\n  c:\n    vcs-repo: {branch: main}\nteams: {}\n',
  ],
  [
    'as deep as the entries that are there',
    'workspaces:\n      a:\n            auto-apply: true\n',
    ['workspaces'],
    long,
    'workspaces:\n      a:\n            auto-apply: true\n\n      b:\n        description: new\n\n      c:\n        vcs-repo: {branch: main}\n',
  ],
  ['between braces', 'projects: {old: prj-0}\n', ['projects'], short, 'projects: {old: prj-0, new: prj-1}\n'],
  [
    'between braces over several lines',
    'projects: {\n  old: prj-0, # first\n}\n',
    ['projects'],
    short,
    'projects: {\n  old: prj-0, new: prj-1, # first\n}\n',
  ],
  [
    'in the place of {}',
    'projects: {} # none yet\n',
    ['projects'],
    short,
    'projects: # none yet\n  new: prj-1\n',
  ],
  [
    'in the place of nothing',
    'projects: # none\nteams: {}\n',
    ['projects'],
    short,
    'projects: # none\n  new: prj-1\nteams: {}\n',
  ],
  ['in the place of null', 'projects: ~\n', ['projects'], short, 'projects:\n  new: prj-1\n'],
  [
    'as a section of its own',
    'attune: 1\n# the end\n',
    ['projects'],
    short,
    'attune: 1\n\nprojects:\n  new: prj-1\n# the end\n',
  ],
  [
    'as a section of a file without a last line end',
    'attune: 1',
    ['projects'],
    short,
    'attune: 1\n\nprojects:\n  new: prj-1\n',
  ],
  [
    'behind a block of text',
    'workspaces:\n  a:\n    description: |+\n      text\n\nteams: {}\n',
    ['workspaces'],
    long.slice(0, 1),
    'workspaces:\n  a:\n    description: |+\n      text\n\n  b:\n    description: new\nteams: {}\n',
  ],
  [
    'two keys deep',
    'team-access:\n  p:\n    sre: admin\n',
    ['team-access', 'p'],
    short,
    'team-access:\n  p:\n    sre: admin\n    new: prj-1\n',
  ],
  [
    'two keys deep where the second is not there',
    'team-access:\n  p:\n    sre: admin\n',
    ['team-access', 'q'],
    short,
    'team-access:\n  p:\n    sre: admin\n\n  q:\n    new: prj-1\n',
  ],
  [
    'into JSON',
    '{"attune": 1, "projects": {}}',
    ['projects'],
    short,
    '{"attune": 1, "projects": {new: prj-1}}',
  ],
  [
    'with the line ends of the file',
    'projects:\r\n  a: prj-0\r\n',
    ['projects'],
    short,
    'projects:\r\n  a: prj-0\r\n  new: prj-1\r\n',
  ],
  [
    'behind a byte order mark',
    '\uFEFFattune: 1\n',
    ['projects'],
    short,
    '\uFEFFattune: 1\n\nprojects:\n  new: prj-1\n',
  ],
  [
    'behind a byte order mark, under a key without a value',
    '\uFEFFprojects:\n',
    ['projects'],
    short,
    '\uFEFFprojects:\n  new: prj-1\n',
  ],
  [
    'into a key that is quoted',
    '"projects":\n  "a": prj-0\n',
    ['projects'],
    short,
    '"projects":\n  "a": prj-0\n  new: prj-1\n',
  ],
] as const)('import --update inserts entries %s', (_where, before, path, entries, after) => {
  expect(insertEntries(before, 'attune.yaml', [{ path, entries }])).toBe(after);
});

test('import --update without new entries leaves the text unchanged', () => {
  expect(insertEntries('a: 1', 'attune.yaml', [{ path: ['projects'], entries: [] }])).toBe('a: 1');
});

test('import --update adds nothing to a mapping that belongs to an anchor elsewhere', () => {
  const text = 'templates: &shared {a: {}}\nworkspaces: *shared\n';
  expect(() => insertEntries(text, 'attune.yaml', [{ path: ['workspaces'], entries: long }])).toThrow(
    'attune.yaml: cannot add to workspaces: it is not a plain mapping',
  );
});

test.each([
  ['|+', '|+\n      text\n\n'],
  ['>+', '>+\n      text\n\n\n'],
  ['|2+ with indented lines', '|2+\n        text\n\n'],
  ['|', '|\n      text\n'],
  ['|-', '|-\n      text\n\n'],
  ['|+ of one line', '|+\n      text\n'],
])(
  'import --update leaves a value written with %s as it is when it inserts an entry after it',
  (_style, value) => {
    const before = `workspaces:\n  aa: {}\n\n  a:\n    description: ${value}`;
    const after = insertEntries(before, 'attune.yaml', [{ path: ['workspaces'], entries: long }]);
    expect(parse(after).workspaces).toMatchObject(parse(before).workspaces);
    expect(Object.keys(parse(after).workspaces)).toEqual(['aa', 'a', 'b', 'c']);
  },
);
