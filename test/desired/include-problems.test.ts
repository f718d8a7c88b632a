import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { codesOnly } from '../support/codes-only.ts';
import { type Case, inFolder, printedProblems, rootText } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'a file that does not exist',
    yaml: `
include: [workspaces/network.yaml]
`,
    printed: `
attune.yaml:3:11: error[include-missing]: "workspaces/network.yaml" is not a file
  3 | include: [workspaces/network.yaml]
    |           ^
  hint: write the path relative to the root file; write folder/*.yaml for all files of a folder
`,
  },
  {
    title: 'a path with backslashes, which other systems than Windows read as one name',
    yaml: `
include: ['workspaces\\network.yaml', 'workspaces\\*.yaml']
`,
    printed: `
attune.yaml:3:11: error[include-missing]: "workspaces\\\\network.yaml" is not a file
  3 | include: ['workspaces\\network.yaml', 'workspaces\\*.yaml']
    |           ^
  hint: write / instead of \\: it works on every system
attune.yaml:3:38: warning[include-empty]: no file matches "workspaces\\\\*.yaml"
  3 | include: ['workspaces\\network.yaml', 'workspaces\\*.yaml']
    |                                      ^
  hint: write / instead of \\: it works on every system
`,
  },
  {
    title: 'a glob without files is a warning',
    yaml: `
include: [workspaces/*.yaml]
`,
    printed: `
attune.yaml:3:11: warning[include-empty]: no file matches "workspaces/*.yaml"
  3 | include: [workspaces/*.yaml]
    |           ^
  hint: write the pattern relative to the root file, or remove it if there is nothing to include yet
`,
  },
  {
    title: 'files of Git',
    files: {
      'attune.yaml': `
attune: 1
organization: acme
include: [.git/config, "{.GIT,more}/*.yaml", "more/*.yaml"]
`,
      '.git/config': '[remote]',
      'more/.git/a.yaml': 'projects: {}',
    },
    printed: `
attune.yaml:3:11: error[include-outside]: ".git/config" is in a folder of Git
  3 | include: [.git/config, "{.GIT,more}/*.yaml", "more/*.yaml"]
    |           ^
  hint: move the file out of the folder .git
attune.yaml:3:24: error[include-outside]: "{.GIT,more}/*.yaml" is in a folder of Git
  3 | include: [.git/config, "{.GIT,more}/*.yaml", "more/*.yaml"]
    |                        ^
  hint: move the file out of the folder .git
attune.yaml:3:46: warning[include-empty]: no file matches "more/*.yaml"
  3 | include: [.git/config, "{.GIT,more}/*.yaml", "more/*.yaml"]
    |                                              ^
  hint: write the pattern relative to the root file, or remove it if there is nothing to include yet
`,
  },
  {
    title: 'a folder instead of its files',
    files: {
      'attune.yaml': `
attune: 1
organization: acme
include: [workspaces]
`,
      'workspaces/a.yaml': `
workspaces: {}
`,
    },
    printed: `
attune.yaml:3:11: error[include-missing]: "workspaces" is not a file
  3 | include: [workspaces]
    |           ^
  hint: write the path relative to the root file; write folder/*.yaml for all files of a folder
`,
  },
  {
    title: 'a way out of the folder',
    yaml: `
include: [../other.yaml, /etc/*.yaml, "x/../../y.yaml"]
`,
    printed: `
attune.yaml:3:11: error[include-outside]: "../other.yaml" is outside the folder of the root file, and of a repository with an attune.repository.yaml
  3 | include: [../other.yaml, /etc/*.yaml, "x/../../y.yaml"]
    |           ^
  hint: move the file into the folder, or create an empty attune.repository.yaml in the folder above both
attune.yaml:3:26: error[include-outside]: "/etc/*.yaml" is outside the folder of the root file
  3 | include: [../other.yaml, /etc/*.yaml, "x/../../y.yaml"]
    |                          ^
  hint: move the file into the folder, or make it a separate root file
attune.yaml:3:39: error[include-outside]: "x/../../y.yaml" is outside the folder of the root file
  3 | include: [../other.yaml, /etc/*.yaml, "x/../../y.yaml"]
    |                                       ^
  hint: move the file into the folder, or make it a separate root file
`,
  },
  {
    title: 'a pattern that excludes',
    yaml: `
include: ["!a.yaml"]
`,
    printed: `
attune.yaml:3:11: error[bad-value]: cannot include "!a.yaml": patterns that exclude files are not supported
  3 | include: ["!a.yaml"]
    |           ^
  hint: list the files to include
`,
  },
  {
    title: 'patterns that no file can match or that are not supported',
    yaml: `
include: ["a\\0b/*.yaml", "a\\0b.yaml", "@(a|b)*.yaml"]
`,
    printed: `
attune.yaml:3:11: error[bad-value]: cannot include "a\\u0000b/*.yaml": no path has a NUL character
  3 | include: ["a\\0b/*.yaml", "a\\0b.yaml", "@(a|b)*.yaml"]
    |           ^
  hint: use a path, or a pattern with *, **, ?, [a-z] and {a,b}, such as workspaces/*.yaml
attune.yaml:3:26: error[bad-value]: cannot include "a\\u0000b.yaml": no path has a NUL character
  3 | include: ["a\\0b/*.yaml", "a\\0b.yaml", "@(a|b)*.yaml"]
    |                          ^
  hint: use a path, or a pattern with *, **, ?, [a-z] and {a,b}, such as workspaces/*.yaml
attune.yaml:3:39: error[bad-value]: cannot include "@(a|b)*.yaml": patterns with parentheses, such as @(a|b), are not supported
  3 | include: ["a\\0b/*.yaml", "a\\0b.yaml", "@(a|b)*.yaml"]
    |                                       ^
  hint: use a path, or a pattern with *, **, ?, [a-z] and {a,b}, such as workspaces/*.yaml
`,
  },
  {
    title: 'braces that expand to too many patterns',
    yaml: `
include: ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*"]
`,
    printed: `
attune.yaml:3:11: error[bad-value]: cannot include "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*": its braces expand to more than 256 patterns
  3 | include: ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*"]
    |           ^
  hint: use a path, or a pattern with *, **, ?, [a-z] and {a,b}, such as workspaces/*.yaml
`,
  },
  {
    title: 'keys that only the root file may have',
    files: {
      'attune.yaml': `
attune: 1
organization: acme
include: [a.yaml]
`,
      'a.yaml': `
attune: 1
prune: {workspaces: safe}
workspace: {}
`,
    },
    printed: `
a.yaml:1:1: error[unknown-key]: unknown key "attune" in an included file
  1 | attune: 1
    | ^
  hint: move it to the root file; an included file has defaults, projects, teams, ssh-keys, agent-pools, vcs-connections, templates, workspaces, roles, team-access or policies
a.yaml:2:1: error[unknown-key]: unknown key "prune" in an included file
  2 | prune: {workspaces: safe}
    | ^
  hint: move it to the root file; an included file has defaults, projects, teams, ssh-keys, agent-pools, vcs-connections, templates, workspaces, roles, team-access or policies
a.yaml:3:1: error[unknown-key]: unknown key "workspace" in an included file
  3 | workspace: {}
    | ^
  hint: did you mean "workspaces"?
`,
  },
];

test.each(cases)('validate reports a problem of includes at its place: $title', async (given) => {
  expect(await printedProblems(given)).toBe(given.printed.slice(1));
});

test('validate reports the problems of all files in one go', async () => {
  const printed = await printedProblems({
    files: {
      'attune.yaml': `
attune: 1
organization: acme
include: ["*.yaml"]
workspaces:
  a: {auto-aply: true}
`,
      'b.yaml': `
workspaces:
  b: {auto-aply: true}
`,
      'c.yaml': `
workspaces: [
`,
      'd.yaml': `
workspaces:
  d: {extends: in-c}
`,
    },
  });
  expect(codesOnly(printed, 'unknown-key')).toBe(`\
attune.yaml:5:7: error[unknown-key]
  5 |   a: {auto-aply: true}
    |       ^
b.yaml:2:7: error[unknown-key]
  2 |   b: {auto-aply: true}
    |       ^
c.yaml:2:1: error[yaml-syntax]: Flow sequence in block collection must be sufficiently indented and end with a ]
  2 |
    | ^
  hint: check brackets, quotes and indentation in this line and the line before it
`);
});

test('a link to a file of Git is refused', async () => {
  const files = {
    'attune.yaml': rootText('include: [more/*.yaml]'),
    '.git/config': '[remote]',
    'more/a.yaml': '',
  };
  await inFolder(files, async (folder) => {
    await rm(join(folder, 'more/a.yaml'));
    await symlink('../.git/config', join(folder, 'more/a.yaml'));
    const { diagnostics } = await loadConfig(folder);
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'include-outside: "more/a.yaml" is in a folder of Git',
    ]);
  });
});
