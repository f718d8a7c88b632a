import { expect, test } from 'vitest';
import { type Case, printedProblems } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'a level that does not exist',
    yaml: `
projects: {p: prj-1}
teams: {t: team-1}
team-access:
  p: {t: wirte}
`,
    printed: `
attune.yaml:6:10: error[bad-value]: "t" cannot be "wirte": it is neither a level nor a role
  6 |   p: {t: wirte}
    |          ^
  hint: did you mean "write"?
`,
  },
  {
    title: 'two keys for one pair',
    yaml: `
projects: {p: prj-1}
teams: {t: team-1}
team-access:
  p: {t: read}
  prj-1: {team-1: write}
`,
    printed: `
attune.yaml:6:7: error[duplicate-grant]: duplicate access of one team to one project: also declared as "prj-1/team-1" at attune.yaml:7:11
  6 |   p: {t: read}
    |       ^
  hint: keep one of them
attune.yaml:7:11: error[duplicate-grant]: duplicate access of one team to one project: also declared as "p/t" at attune.yaml:6:7
  7 |   prj-1: {team-1: write}
    |           ^
  hint: keep one of them
`,
  },
  {
    title: 'roles: an unknown one, one with the name of a level, and permissions that a level implies',
    yaml: `
projects: {p: prj-1}
teams: {a: team-1, b: team-2, c: team-3}
roles:
  auditor: {access: custom, workspace-access: {runs: plan}}
  admin: {access: read}
  reader: {access: read, project-access: {settings: read}}
  nested: {access: auditor}
team-access:
  p:
    a: auditr
    b: {access: custm}
    c: {access: reader, workspace-access: {runs: plan}}
`,
    printed: `
attune.yaml:7:3: error[role-name]: the role "admin" has the name of a level
  7 |   admin: {access: read}
    |   ^
  hint: rename it: read, write, maintain, admin, custom and none are levels
attune.yaml:8:26: error[permissions-without-custom]: "project-access" requires access: custom, but access is read
  8 |   reader: {access: read, project-access: {settings: read}}
    |                          ^
  hint: write access: custom, or remove the permissions: the level implies them
attune.yaml:9:20: error[bad-value]: "access" cannot be "auditor"
  9 |   nested: {access: auditor}
    |                    ^
  hint: use read, write, maintain, admin or custom
attune.yaml:12:8: error[bad-value]: "a" cannot be "auditr": it is neither a level nor a role
  12 |     a: auditr
     |        ^
  hint: did you mean "auditor"?
attune.yaml:13:17: error[bad-value]: "access" cannot be "custm": it is neither a level nor a role
  13 |     b: {access: custm}
     |                 ^
  hint: did you mean "custom"?
attune.yaml:14:25: error[permissions-without-custom]: "workspace-access" requires access: custom, but access is read
  14 |     c: {access: reader, workspace-access: {runs: plan}}
     |                         ^
  hint: write access: custom, or remove the permissions: the level implies them
`,
  },
  {
    title: 'permissions beside a level that implies them',
    yaml: `
projects: {p: prj-1}
teams: {t: team-1}
team-access:
  p:
    t: {access: read, workspace-access: {runs: plan}}
`,
    printed: `
attune.yaml:7:23: error[permissions-without-custom]: "workspace-access" requires access: custom, but access is read
  7 |     t: {access: read, workspace-access: {runs: plan}}
    |                       ^
  hint: write access: custom, or remove the permissions: the level implies them
`,
  },
  {
    title: 'a wrong permission',
    yaml: `
projects: {p: prj-1}
teams: {t: team-1}
team-access:
  p:
    t: {access: custom, workspace-access: {runs: aply, sentinel-mocks: read}, project-access: {settings: none}}
`,
    printed: `
attune.yaml:7:50: error[bad-value]: "runs" cannot be "aply"
  7 |     t: {access: custom, workspace-access: {runs: aply, sentinel-mocks: read}, project-access: {setti...
    |                                                  ^
  hint: did you mean "apply"? Allowed values: read, plan or apply
attune.yaml:7:56: error[unknown-key]: unknown key "sentinel-mocks" in a workspace-access mapping
  7 |     t: {access: custom, workspace-access: {runs: aply, sentinel-mocks: read}, project-access: {setti...
    |                                                        ^
  hint: write "policy-mocks"
attune.yaml:7:106: error[bad-value]: "settings" cannot be "none"
  7 | ...ns: aply, sentinel-mocks: read}, project-access: {settings: none}}
    |                                                                ^
  hint: use read, update or delete
`,
  },
  {
    title: 'a project without teams is written {}',
    yaml: `
projects: {p: prj-1}
team-access:
  p:
`,
    printed: `
attune.yaml:5:5: error[null-not-allowed]: "p" cannot be null: it is a mapping
  5 |   p:
    |     ^
  hint: write {} to declare none of its keys, or remove the line
`,
  },
];

test.each(cases)('validate reports a problem of team access at its place: $title', async (given) => {
  expect(await printedProblems(given)).toBe(given.printed.slice(1));
});
