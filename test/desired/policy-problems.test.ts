import { expect, test } from 'vitest';
import { type Case, printedProblems } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'an unknown field in a folded string, at its place with the nearest',
    yaml: `
policies:
  - id: a
    require: >-
      change.kind == 'workspace' &&
      change.fields.exists(f, f.pth == 'tags')
    message: Never.
`,
    printed: `
attune.yaml:7:33: error[bad-policy]: cannot compile require of policy a: no such key: pth
  7 |       change.fields.exists(f, f.pth == 'tags')
    |                                 ^
  hint: did you mean "path"?
`,
  },
  {
    title: 'an unknown field inside has(), which the library accepts',
    yaml: `
policies:
  - {id: a, require: 'has(change.idd) || true', message: Never.}
`,
    printed: `
attune.yaml:4:34: error[bad-policy]: cannot compile require of policy a: no such key: idd
  4 |   - {id: a, require: 'has(change.idd) || true', message: Never.}
    |                                  ^
  hint: did you mean "id"?
`,
  },
  {
    title: 'the variable of another subject',
    yaml: `
policies:
  - id: a
    on: workspace
    require: "change.name != \\"x\\" && workspace.name != ''"
    message: Never.
`,
    printed: `
attune.yaml:6:15: error[bad-policy]: cannot compile require of policy a: unknown variable: change
  6 |     require: "change.name != \\"x\\" && workspace.name != ''"
    |               ^
  hint: use \`workspace\`, which is the variable of \`on: workspace\`
`,
  },
  {
    title: 'an expression without a bool value, and a wrong pattern',
    yaml: `
policies:
  - {id: a, require: change.name, message: Never.}
  - {id: b, require: "change.name.matches('(a')", message: Never.}
  - {id: c, require: "has(change.fields[0].add)", message: Never.}
`,
    printed: `
attune.yaml:4:22: error[bad-policy]: cannot compile require of policy a: the expression is of type string, not bool
  4 |   - {id: a, require: change.name, message: Never.}
    |                      ^
  hint: write a condition, such as a comparison with == or a call of exists()
attune.yaml:5:43: error[bad-policy]: cannot compile require of policy b: bad regular expression "(a": error parsing regexp: missing closing ): \`(a\`
  5 |   - {id: b, require: "change.name.matches('(a')", message: Never.}
    |                                           ^
  hint: write the pattern in the syntax of RE2
attune.yaml:6:27: error[bad-policy]: cannot compile require of policy c: has() invalid argument
  6 |   - {id: c, require: "has(change.fields[0].add)", message: Never.}
    |                           ^
  hint: write has() with names and dots alone, as has(change.id)
`,
  },
  {
    title: 'an id that two files declare, at both places, and one that is not in kebab-case',
    files: {
      'attune.yaml':
        'attune: 1\norganization: acme\ninclude: [more.yaml]\npolicies:\n  - {id: a, require: "true", message: Never.}\n',
      'more.yaml':
        'policies:\n  - {id: a, require: "true", message: Never.}\n  - {id: Prod, require: "true", message: Never.}\n',
    },
    printed: `
attune.yaml:5:10: error[duplicate-name]: the policy "a" is declared twice, also at more.yaml:2:10
  5 |   - {id: a, require: "true", message: Never.}
    |          ^
  hint: keep one of them
more.yaml:2:10: error[duplicate-name]: the policy "a" is declared twice, also at attune.yaml:5:10
  2 |   - {id: a, require: "true", message: Never.}
    |          ^
  hint: keep one of them
more.yaml:3:10: error[invalid-name]: invalid id "Prod"
  3 |   - {id: Prod, require: "true", message: Never.}
    |          ^
  hint: write it in kebab-case, as prod-no-auto-apply
`,
  },
  {
    title: 'a missing key and an unquoted condition that YAML reads as a boolean',
    yaml: `
policies:
  - {id: a, require: true}
`,
    printed: `
attune.yaml:4:5: error[missing-key]: an entry of "policies" requires the key "message"
  4 |   - {id: a, require: true}
    |     ^
  hint: add "message: ..."
attune.yaml:4:22: error[wrong-type]: "require" must be text: true is read as a flag
  4 |   - {id: a, require: true}
    |                      ^
  hint: quote it: "true"
`,
  },
];

test.each(cases)(
  'validate reports a problem of a policy at its place: $title',
  async ({ printed, ...files }) => {
    expect(await printedProblems(files)).toBe(printed.slice(1));
  },
);
