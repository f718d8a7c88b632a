import { expect, test } from 'vitest';
import { type Case, configured, printedProblems } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'dates without a year, times without a zone, and dates that do not exist',
    yaml: `
projects: {p: prj-1}
teams: {a: team-1, b: team-2, c: team-3, d: team-4}
team-access:
  p:
    a: {access: write, until: 12-31}
    b: {access: write, until: 2026-12-31T18:00:00}
    c: {access: write, until: 2026-02-30}
    d: {access: write, until: "18:00"}
`,
    printed: `
attune.yaml:7:31: error[bad-timestamp]: "until" cannot be "12-31": the year is missing
  7 |     a: {access: write, until: 12-31}
    |                               ^
  hint: write a date (2026-12-31), or a time with its zone (2026-12-31T18:00:00Z or 2026-12-31T18:00:00+01:00)
attune.yaml:8:31: error[bad-timestamp]: "until" cannot be "2026-12-31T18:00:00": the time zone is missing
  8 |     b: {access: write, until: 2026-12-31T18:00:00}
    |                               ^
  hint: write a date (2026-12-31), or a time with its zone (2026-12-31T18:00:00Z or 2026-12-31T18:00:00+01:00)
attune.yaml:9:31: error[bad-timestamp]: invalid "until" "2026-02-30": this time does not exist
  9 |     c: {access: write, until: 2026-02-30}
    |                               ^
  hint: write a date or time that exists, such as 2026-12-31 or 2026-12-31T18:00:00Z
attune.yaml:10:31: error[bad-timestamp]: "until" cannot be "18:00": the date is missing
  10 |     d: {access: write, until: "18:00"}
     |                               ^
  hint: write a date (2026-12-31), or a time with its zone (2026-12-31T18:00:00Z or 2026-12-31T18:00:00+01:00)
`,
  },
  {
    title: 'access of none that ends',
    yaml: `
projects: {p: prj-1}
teams: {a: team-1}
team-access:
  p: {a: {access: none, until: 2026-12-31}}
`,
    printed: `
attune.yaml:6:25: error[until-without-access]: "until" ends no access: access is none
  6 |   p: {a: {access: none, until: 2026-12-31}}
    |                         ^
  hint: remove it, or write the level that ends
`,
  },
  {
    title: 'exceptions without until or reason',
    yaml: `
exceptions:
  - {address: workspace.web-prod, field: auto-apply, reason: INC-7}
  - {address: workspace.web-prod, field: description, until: 2026-12-15}
`,
    printed: `
attune.yaml:4:5: error[missing-key]: an entry of "exceptions" requires the key "until"
  4 |   - {address: workspace.web-prod, field: auto-apply, reason: INC-7}
    |     ^
  hint: add "until: ..."
attune.yaml:5:5: error[missing-key]: an entry of "exceptions" requires the key "reason"
  5 |   - {address: workspace.web-prod, field: description, until: 2026-12-15}
    |     ^
  hint: add "reason: ..."
`,
  },
  {
    title: 'exceptions for a mapping other than a repository',
    yaml: `
exceptions:
  - {address: workspace.web-prod, field: setting-overwrites, until: 2026-12-15, reason: INC-7}
  - {address: team-access.p/t, field: workspace-access, until: 2026-12-15, reason: INC-7}
  - {address: team-access.p/t, field: project-access, until: 2026-12-15, reason: INC-7}
  - {address: "*", field: setting-overwrites, until: 2026-12-15, reason: INC-7}
`,
    printed: `
attune.yaml:4:42: error[bad-value]: "field" cannot be "setting-overwrites": "workspace.web-prod" has no such field
  4 |   - {address: workspace.web-prod, field: setting-overwrites, until: 2026-12-15, reason: INC-7}
    |                                          ^
  hint: write the field as plans show it: auto-apply, vcs-repo.branch
attune.yaml:5:39: error[bad-value]: "field" cannot be "workspace-access": "team-access.p/t" has no such field
  5 |   - {address: team-access.p/t, field: workspace-access, until: 2026-12-15, reason: INC-7}
    |                                       ^
  hint: did you mean "workspace-access.runs"?
attune.yaml:6:39: error[bad-value]: "field" cannot be "project-access": "team-access.p/t" has no such field
  6 |   - {address: team-access.p/t, field: project-access, until: 2026-12-15, reason: INC-7}
    |                                       ^
  hint: write the field as plans show it: auto-apply, vcs-repo.branch
attune.yaml:7:27: error[bad-value]: "field" cannot be "setting-overwrites": "*" has no such field
  7 |   - {address: "*", field: setting-overwrites, until: 2026-12-15, reason: INC-7}
    |                           ^
  hint: write the field as plans show it: auto-apply, vcs-repo.branch
`,
  },
  {
    title: 'exceptions for a field or an address that does not exist',
    yaml: `
exceptions:
  - {address: workspace.web-prod, field: auto-aply, until: 2026-12-15, reason: INC-7}
  - {address: team-access.p/t, field: auto-apply, until: 2026-12-15, reason: INC-7}
  - {address: web-prod, field: auto-apply, until: 2026-12-15, reason: INC-7}
`,
    printed: `
attune.yaml:4:42: error[bad-value]: "field" cannot be "auto-aply": "workspace.web-prod" has no such field
  4 |   - {address: workspace.web-prod, field: auto-aply, until: 2026-12-15, reason: INC-7}
    |                                          ^
  hint: did you mean "auto-apply"?
attune.yaml:5:39: error[bad-value]: "field" cannot be "auto-apply": "team-access.p/t" has no such field
  5 |   - {address: team-access.p/t, field: auto-apply, until: 2026-12-15, reason: INC-7}
    |                                       ^
  hint: write the field as plans show it: auto-apply, vcs-repo.branch
attune.yaml:6:15: error[bad-value]: "address" cannot be "web-prod": it matches no kind of resource
  6 |   - {address: web-prod, field: auto-apply, until: 2026-12-15, reason: INC-7}
    |               ^
  hint: write workspace.<name>, project.<alias> or team-access.<project>/<team>; * is any run of characters
`,
  },
  {
    title: 'each exception for a field of a workspace that has several only once',
    yaml: `
workspaces: {web-prod: {auto-apply: false}}
exceptions:
  - {address: workspace.web-prod, field: auto-apply, until: 2026-12-15, reason: INC-7}
  - {address: "*", field: auto-apply, until: 2026-12-16, reason: INC-8}
  - {address: workspace.*-prod, field: auto-apply, until: 2026-12-16, reason: INC-9}
`,
    printed: `
attune.yaml:5:5: error[overlapping-exceptions]: two exceptions for auto-apply of workspace.web-prod, also at attune.yaml:6:5
  5 |   - {address: workspace.web-prod, field: auto-apply, until: 2026-12-15, reason: INC-7}
    |     ^
  hint: keep one of them, or name other addresses
attune.yaml:6:5: error[overlapping-exceptions]: two exceptions for auto-apply of workspace.web-prod, also at attune.yaml:5:5
  6 |   - {address: "*", field: auto-apply, until: 2026-12-16, reason: INC-8}
    |     ^
  hint: keep one of them, or name other addresses
attune.yaml:7:5: error[overlapping-exceptions]: two exceptions for auto-apply of workspace.web-prod, also at attune.yaml:5:5
  7 |   - {address: workspace.*-prod, field: auto-apply, until: 2026-12-16, reason: INC-9}
    |     ^
  hint: keep one of them, or name other addresses
`,
  },
  {
    title: 'two exceptions for one field of one workspace',
    yaml: `
workspaces: {web-prod: {auto-apply: false}, web-dev: {auto-apply: false}}
exceptions:
  - {address: workspace.web-*, field: auto-apply, until: 2026-12-15, reason: INC-7}
  - {address: workspace.*-prod, field: auto-apply, until: 2026-12-16, reason: INC-8}
  - {address: workspace.*-prod, field: description, until: 2026-12-16, reason: INC-8}
`,
    printed: `
attune.yaml:5:5: error[overlapping-exceptions]: two exceptions for auto-apply of workspace.web-prod, also at attune.yaml:6:5
  5 |   - {address: workspace.web-*, field: auto-apply, until: 2026-12-15, reason: INC-7}
    |     ^
  hint: keep one of them, or name other addresses
attune.yaml:6:5: error[overlapping-exceptions]: two exceptions for auto-apply of workspace.web-prod, also at attune.yaml:5:5
  6 |   - {address: workspace.*-prod, field: auto-apply, until: 2026-12-16, reason: INC-8}
    |     ^
  hint: keep one of them, or name other addresses
`,
  },
  {
    title: 'freeze windows that are incomplete, mixed, too long or backwards',
    yaml: `
freeze:
  - {reason: a}
  - {from: 2026-12-20, reason: b}
  - {cron: "0 18 * * 5", reason: c}
  - {from: 2026-12-20T00:00:00Z, to: 2028-01-04T06:00:00Z, reason: d}
  - {from: 2026-12-20T00:00:00Z, to: 2026-12-19, reason: e}
  - {from: 2026-12-20, to: 2026-12-21, timezone: Europe/Berlin, reason: f}
  - {cron: "0 18 * * 5", for: 400d, reason: g}
`,
    printed: `
attune.yaml:4:5: error[missing-key]: a freeze window requires "from" and "to", or "cron" and "for"
  4 |   - {reason: a}
    |     ^
  hint: add "from: ..."
attune.yaml:5:5: error[missing-key]: a freeze window requires the key "to"
  5 |   - {from: 2026-12-20, reason: b}
    |     ^
  hint: add "to: ..."
attune.yaml:6:5: error[missing-key]: a freeze window requires the key "for"
  6 |   - {cron: "0 18 * * 5", reason: c}
    |     ^
  hint: add "for: ..."
attune.yaml:7:38: error[bad-freeze]: the freeze window is longer than a year
  7 |   - {from: 2026-12-20T00:00:00Z, to: 2028-01-04T06:00:00Z, reason: d}
    |                                      ^
  hint: write an earlier time
attune.yaml:8:38: error[bad-freeze]: "to" is not after "from"
  8 |   - {from: 2026-12-20T00:00:00Z, to: 2026-12-19, reason: e}
    |                                      ^
  hint: write a later time
attune.yaml:9:6: error[bad-freeze]: "from" cannot be combined with "cron", "for" and "timezone"
  9 |   - {from: 2026-12-20, to: 2026-12-21, timezone: Europe/Berlin, reason: f}
    |      ^
  hint: write two windows, or a time zone in "from" and "to"
attune.yaml:10:31: error[bad-freeze]: the freeze window is longer than a year
  10 |   - {cron: "0 18 * * 5", for: 400d, reason: g}
     |                               ^
  hint: write a shorter time
`,
  },
  {
    title: 'cron expressions, lengths and time zones that mean nothing',
    yaml: `
freeze:
  - {cron: "@daily", for: 60h, reason: a}
  - {cron: "61 18 * * 5", for: 60h, reason: b}
  - {cron: "0 18 31 2 *", for: 60h, reason: c}
  - {cron: "*/5 * * * *", for: 10m, reason: d}
  - {cron: "0 18 * * 5", for: 2 days, reason: e}
  - {cron: "0 18 * * 5", for: 60h, timezone: Europe/Berln, reason: f}
`,
    printed: `
attune.yaml:4:12: error[bad-value]: "cron" cannot be "@daily": it has not five parts
  4 |   - {cron: "@daily", for: 60h, reason: a}
    |            ^
  hint: write minute, hour, day of month, month and day of week: "0 18 * * 5"
attune.yaml:5:12: error[bad-freeze]: "cron" cannot be "61 18 * * 5": invalid value for minute: 61
  5 |   - {cron: "61 18 * * 5", for: 60h, reason: b}
    |            ^
  hint: write minute, hour, day of month, month and day of week: "0 18 * * 5"
attune.yaml:6:12: error[bad-freeze]: "cron" cannot be "0 18 31 2 *": it never starts
  6 |   - {cron: "0 18 31 2 *", for: 60h, reason: c}
    |            ^
  hint: write minute, hour, day of month, month and day of week: "0 18 * * 5"
attune.yaml:7:12: error[bad-freeze]: "cron" cannot be "*/5 * * * *": more than 400 of its periods leave no time between them
  7 |   - {cron: "*/5 * * * *", for: 10m, reason: d}
    |            ^
  hint: write fewer starts, and a longer "for"
attune.yaml:8:31: error[bad-duration]: "for" cannot be "2 days"
  8 |   - {cron: "0 18 * * 5", for: 2 days, reason: e}
    |                               ^
  hint: write a number, not zero, and m (minutes), h (hours), d (days) or w (weeks): 60h
attune.yaml:9:46: error[bad-freeze]: unknown time zone "Europe/Berln"
  9 |   - {cron: "0 18 * * 5", for: 60h, timezone: Europe/Berln, reason: f}
    |                                              ^
  hint: did you mean "Europe/Berlin"?
`,
  },
];

test('3,000 exceptions with 1,000 workspaces are read', async () => {
  const addresses = Array.from({ length: 3000 }, (_, index) => `workspace.web-${index}`);
  const rows = addresses.map(
    (address) => `  - {address: ${address}, field: auto-apply, until: 2026-12-15, reason: x}\n`,
  );
  const workspaces = addresses.slice(0, 1000).map((address) => `  ${address.slice(10)}: {}\n`);
  const { holds } = await configured(`workspaces:\n${workspaces.join('')}exceptions:\n${rows.join('')}`);
  expect(holds?.exceptions).toHaveLength(3000);
});

test.each(cases)('validate reports $title', async ({ printed, ...given }) => {
  expect(await printedProblems(given)).toBe(printed.replace(/^\n/, ''));
});
