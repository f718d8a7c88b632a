import { expect, test } from 'vitest';
import { configurationSchema } from '../../src/desired/schema/language.ts';
import { type Case, loadFiles, printedProblems, rootText } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'the same names in two files are reported at both locations',
    files: {
      'attune.yaml': `
attune: 1
organization: acme
include: [a.yaml]
projects: {platform: prj-1}
templates: {service: {}}
workspaces:
  network: {}
`,
      'a.yaml': `
projects: {platform: prj-2}
templates: {service: {}}
workspaces:
  network: {}
`,
    },
    printed: `
attune.yaml:4:12: error[duplicate-name]: the alias "platform" under projects is declared twice, also at a.yaml:1:12
  4 | projects: {platform: prj-1}
    |            ^
  hint: keep one of them
attune.yaml:5:13: error[duplicate-name]: the template "service" is declared twice, also at a.yaml:2:13
  5 | templates: {service: {}}
    |             ^
  hint: keep one of them
attune.yaml:7:3: error[duplicate-name]: the workspace "network" is declared twice, also at a.yaml:4:3
  7 |   network: {}
    |   ^
  hint: keep one of them
a.yaml:1:12: error[duplicate-name]: the alias "platform" under projects is declared twice, also at attune.yaml:4:12
  1 | projects: {platform: prj-2}
    |            ^
  hint: keep one of them
a.yaml:2:13: error[duplicate-name]: the template "service" is declared twice, also at attune.yaml:5:13
  2 | templates: {service: {}}
    |             ^
  hint: keep one of them
a.yaml:4:3: error[duplicate-name]: the workspace "network" is declared twice, also at attune.yaml:7:3
  4 |   network: {}
    |   ^
  hint: keep one of them
`,
  },
  {
    title: 'the id of another kind of thing',
    yaml: `
projects: {platform: team-a1}
workspaces:
  a: {project: ws-1, ssh-key: ot-9f}
team-access:
  platform: {prj-7hWq: read}
`,
    printed: `
attune.yaml:3:22: error[bad-id]: "team-a1" is the id of a team, but a project is required
  3 | projects: {platform: team-a1}
    |                      ^
  hint: write prj-..., or its name; a name that looks like an id is written as projects: {name: "team-a1"}
attune.yaml:5:31: error[bad-id]: "ot-9f" is the id of a VCS connection, but an SSH key is required
  5 |   a: {project: ws-1, ssh-key: ot-9f}
    |                               ^
  hint: write sshkey-..., or its name; a name that looks like an id is written as ssh-keys: {name: "ot-9f"}
attune.yaml:7:14: error[bad-id]: "prj-7hWq" is the id of a project, but a team is required
  7 |   platform: {prj-7hWq: read}
    |              ^
  hint: write team-..., or its name; a name that looks like an id is written as teams: {name: "prj-7hWq"}
`,
  },
  {
    title: 'a template that is not declared',
    yaml: `
templates:
  service: {}
  other: {extends: [servic]}
workspaces:
  a: {extends: serivce}
  b: {extends: [service, lambda]}
`,
    printed: `
attune.yaml:5:21: error[unknown-template]: unknown template "servic"
  5 |   other: {extends: [servic]}
    |                     ^
  hint: did you mean "service"?
attune.yaml:7:16: error[unknown-template]: unknown template "serivce"
  7 |   a: {extends: serivce}
    |                ^
  hint: did you mean "service"?
attune.yaml:8:26: error[unknown-template]: unknown template "lambda"
  8 |   b: {extends: [service, lambda]}
    |                          ^
  hint: write service or other
`,
  },
  {
    title: 'templates that extend one another in a circle',
    yaml: `
templates:
  a: {extends: b}
  b: {extends: [c]}
  c: {extends: a}
  d: {extends: d}
`,
    printed: `
attune.yaml:6:16: error[template-cycle]: the template "a" extends itself: a -> b -> c -> a
  6 |   c: {extends: a}
    |                ^
  hint: remove one of these extends
attune.yaml:7:16: error[template-cycle]: the template "d" extends itself: d -> d
  7 |   d: {extends: d}
    |                ^
  hint: remove one of these extends
`,
  },
  {
    title: 'a former name that is declared',
    yaml: `
workspaces:
  billing: {}
  billing-prod: {renamed-from: billing}
  x: {renamed-from: x}
`,
    printed: `
attune.yaml:5:32: error[renamed-from-declared]: the former name "billing" is declared, too, at attune.yaml:4:3
  5 |   billing-prod: {renamed-from: billing}
    |                                ^
  hint: remove that declaration, or remove this line to keep both workspaces
attune.yaml:6:21: error[renamed-from-declared]: the workspace "x" cannot be renamed from itself
  6 |   x: {renamed-from: x}
    |                     ^
  hint: remove the line
`,
  },
  {
    title: 'a former name of two workspaces',
    yaml: `
workspaces:
  a: {renamed-from: old}
  b: {renamed-from: old}
`,
    printed: `
attune.yaml:4:21: error[renamed-from-twice]: "old" is also the former name of "b", at attune.yaml:5:21
  4 |   a: {renamed-from: old}
    |                     ^
  hint: remove one of the two lines: only one workspace can be renamed from it
attune.yaml:5:21: error[renamed-from-twice]: "old" is also the former name of "a", at attune.yaml:4:21
  5 |   b: {renamed-from: old}
    |                     ^
  hint: remove one of the two lines: only one workspace can be renamed from it
`,
  },
  {
    title: 'a protected workspace that is deleted',
    yaml: `
defaults:
  workspace: {protect: true}
workspaces:
  a: {state: absent, protect: true}
  b: {state: absent}
  c: {state: absent, protect: false}
`,
    printed: `
attune.yaml:6:22: error[protected]: the workspace is protected and cannot be deleted
  6 |   a: {state: absent, protect: true}
    |                      ^
  hint: remove protect: true first
attune.yaml:7:7: error[protected]: the workspace is protected (attune.yaml:4:15) and cannot be deleted
  7 |   b: {state: absent}
    |       ^
  hint: add protect: false next to state: absent
`,
  },
  {
    title: 'delete without a tombstone',
    yaml: `
workspaces:
  a: {delete: force}
`,
    printed: `
attune.yaml:4:7: error[delete-without-absent]: "delete" requires state: absent
  4 |   a: {delete: force}
    |       ^
  hint: add state: absent to delete the workspace, or remove the line to keep the workspace
`,
  },
  {
    title: 'pruning without a scope',
    yaml: `
prune: {workspaces: safe}
`,
    printed: `
attune.yaml:3:21: error[prune-without-scope]: prune.workspaces: safe requires "scope": it defines which workspaces this configuration owns
  3 | prune: {workspaces: safe}
    |                     ^
  hint: add a scope with projects, tags or names
`,
  },
  {
    title: 'a name under scope.adopt that no workspace is declared for',
    yaml: `
workspaces:
  app: {}
  billing-prod: {renamed-from: billing}
  legacy: {state: absent}
scope: {names: ["*-prod"], adopt: [app, billing, legacy, bilings, elsewhere]}
`,
    printed: `
attune.yaml:7:58: warning[adopt-undeclared]: "bilings" is under scope.adopt, and no workspace is declared by this name or renamed from it
  7 | scope: {names: ["*-prod"], adopt: [app, billing, legacy, bilings, elsewhere]}
    |                                                          ^
  hint: did you mean "billing"?
attune.yaml:7:67: warning[adopt-undeclared]: "elsewhere" is under scope.adopt, and no workspace is declared by this name or renamed from it
  7 | scope: {names: ["*-prod"], adopt: [app, billing, legacy, bilings, elsewhere]}
    |                                                                   ^
  hint: declare the workspace, or remove the name
`,
  },
  {
    title: 'declarations that need what service.without names',
    yaml: `
service: {without: [remote-state-consumers, team-access, safe-delete, data-retention]}
defaults: {workspace: {data-retention: {dont-delete: true}}}
workspaces:
  a: {remote-state-consumers: [b]}
  b: {data-retention: null}
  gone: {state: absent}
  forced: {state: absent, delete: force}
team-access: {prj-1: {team-a: read, team-b: none}}
scope: {}
prune: {workspaces: safe}
`,
    printed: `
attune.yaml:4:24: error[not-offered]: "data-retention" is declared, and service.without declares that the service does not offer data retention policies
  4 | defaults: {workspace: {data-retention: {dont-delete: true}}}
    |                        ^
  hint: remove data-retention, or remove data-retention from service.without
attune.yaml:6:7: error[not-offered]: "remote-state-consumers" is declared, and service.without declares that the service does not offer remote state consumers
  6 |   a: {remote-state-consumers: [b]}
    |       ^
  hint: remove remote-state-consumers, or remove remote-state-consumers from service.without
attune.yaml:8:3: error[not-offered]: the workspace would be deleted safely, and service.without declares that the service does not offer safe delete
  8 |   gone: {state: absent}
    |   ^
  hint: check that it manages no resources, then write \`delete: force\`, which deletes it without that check
attune.yaml:10:23: error[not-offered]: team access is declared, and service.without declares that the service does not offer project team access
  10 | team-access: {prj-1: {team-a: read, team-b: none}}
     |                       ^
  hint: remove it, or remove team-access from service.without
attune.yaml:12:21: error[not-offered]: workspaces would be pruned safely, and service.without declares that the service does not offer safe delete
  12 | prune: {workspaces: safe}
     |                     ^
  hint: set prune.workspaces to \`keep\`; \`force\` deletes workspaces without checking whether they manage resources
`,
  },
  {
    title: 'guards with wrong entries',
    yaml: `
guards: {protects: [a], protect: ["a b", {tags: prod}, {}, {project: team-a1}]}
`,
    printed: `
attune.yaml:3:10: error[unknown-key]: unknown key "protects" in a guards mapping
  3 | guards: {protects: [a], protect: ["a b", {tags: prod}, {}, {project: team-a1}]}
    |          ^
  hint: did you mean "protect"?
attune.yaml:3:35: error[invalid-name]: invalid workspace name "a b"
  3 | guards: {protects: [a], protect: ["a b", {tags: prod}, {}, {project: team-a1}]}
    |                                   ^
  hint: use letters, digits, "-" and "_"; "*" is any run of characters
attune.yaml:3:43: error[unknown-key]: unknown key "tags" in an entry of guards.protect
  3 | guards: {protects: [a], protect: ["a b", {tags: prod}, {}, {project: team-a1}]}
    |                                           ^
  hint: did you mean "tag"?
attune.yaml:3:56: error[bad-value]: an entry of "protect" requires at least one of the keys tag, project, name, tagged or except
  3 | guards: {protects: [a], protect: ["a b", {tags: prod}, {}, {project: team-a1}]}
    |                                                        ^
  hint: write {tag: ...}, {project: ...}, {name: ...}, {tagged: ...} or {except: ...}
`,
  },
  {
    title: 'patterns that match no name and no tag',
    yaml: `
guards: {protect: ["web-?*", {name: app-?, tag: prod-*}]}
scope: {names: ["*.prod"], tags: ["prod-?"]}
`,
    printed: `
attune.yaml:3:20: error[invalid-name]: invalid workspace name "web-?*"
  3 | guards: {protect: ["web-?*", {name: app-?, tag: prod-*}]}
    |                    ^
  hint: use letters, digits, "-" and "_"; "*" is any run of characters
attune.yaml:3:37: error[invalid-name]: invalid workspace name "app-?"
  3 | guards: {protect: ["web-?*", {name: app-?, tag: prod-*}]}
    |                                     ^
  hint: use letters, digits, "-" and "_"; "*" is any run of characters
attune.yaml:3:49: error[bad-value]: "tag" cannot be "prod-*": only names have patterns
  3 | guards: {protect: ["web-?*", {name: app-?, tag: prod-*}]}
    |                                                 ^
  hint: write each tag
attune.yaml:4:17: error[invalid-name]: invalid workspace name "*.prod"
  4 | scope: {names: ["*.prod"], tags: ["prod-?"]}
    |                 ^
  hint: use letters, digits, "-" and "_"; "*" is any run of characters
attune.yaml:4:35: error[bad-value]: an entry of "tags" cannot be "prod-?": only names have patterns
  4 | scope: {names: ["*.prod"], tags: ["prod-?"]}
    |                                   ^
  hint: write each tag
`,
  },
  {
    title: 'a pattern under scope.adopt',
    yaml: `
scope: {names: [app], adopt: ["web-*"]}
`,
    printed: `
attune.yaml:3:31: error[invalid-name]: invalid workspace name "web-*"
  3 | scope: {names: [app], adopt: ["web-*"]}
    |                               ^
  hint: write each name: scope.adopt has no patterns
`,
  },
  {
    title: 'a scope with a misspelled key and wrong values',
    yaml: `
scope: {adopts: [app], adopt: ["a b"], enforce: 1}
`,
    printed: `
attune.yaml:3:9: error[unknown-key]: unknown key "adopts" in a scope
  3 | scope: {adopts: [app], adopt: ["a b"], enforce: 1}
    |         ^
  hint: did you mean "adopt"?
attune.yaml:3:32: error[invalid-name]: invalid workspace name "a b"
  3 | scope: {adopts: [app], adopt: ["a b"], enforce: 1}
    |                                ^
  hint: use letters, digits, "-" and "_"
attune.yaml:3:49: error[wrong-type]: "enforce" must be true or false, not 1
  3 | scope: {adopts: [app], adopt: ["a b"], enforce: 1}
    |                                                 ^
  hint: write true or false
`,
  },
];

test.each(cases)('validate reports a declaration at its place: $title', async (given) => {
  expect(await printedProblems(given)).toBe(given.printed.slice(1));
});

/** Values under each key of a selector that nothing on the service can have, with ^ where they are reported. */
const impossible: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  name: { 'invalid-name': ['^app-?', '[a, ^"*.prod"]', '^a b', '[^"*-a b"]'] },
  except: { 'invalid-name': ['^app-?', '[a, ^"*.prod"]'] },
  tag: {
    'bad-value': ['^prod-*', '[a, ^prod-?]'],
    'invisible-character': [String.raw`^"a\u200b"`, String.raw`[a, ^"a\u200b"]`],
  },
  project: {
    'bad-id': ['^team-a1', '[platform, ^team-a1]'],
    'invisible-character': [String.raw`^"a\u200b"`, String.raw`[a, ^"a\u200b"]`],
  },
  tagged: { 'bad-tag-binding': ['{^"e*": prod}', '{^env: prod-*}', '{a: b, ^env: ""}'] },
};
const scopeKeys = { name: 'names', tag: 'tags', project: 'projects', tagged: 'tagged' } as const;
const places: Readonly<Record<string, (key: string, value: string) => string>> = {
  consumers: (key, value) => `workspaces: {a: {remote-state-consumers: [{${key}: ${value}}]}}`,
  'exact consumers of the defaults': (key, value) =>
    `defaults: {workspace: {remote-state-consumers: {exactly: [{${key}: ${value}}]}}}`,
  'added consumers': (key, value) => `workspaces: {a: {remote-state-consumers: {add: [{${key}: ${value}}]}}}`,
  'removed consumers': (key, value) =>
    `workspaces: {a: {remote-state-consumers: {remove: [{${key}: ${value}}]}}}`,
  when: (key, value) => `templates: {t: {when: {${key}: ${value}}}}`,
  'guards.protect': (key, value) => `guards: {protect: [{${key}: ${value}}]}`,
  freeze: (key, value) =>
    `freeze: [{from: 2026-12-01, to: 2026-12-02, reason: x, select: {${key}: ${value}}}]`,
  scope: (key, value) =>
    `scope: {${scopeKeys[key as keyof typeof scopeKeys]}: ${/[[{]/.test(value) ? value : `[${value}]`}}`,
};
const impossibleCases = Object.keys(places).flatMap((place) =>
  Object.keys(impossible)
    .filter((key) => place !== 'scope' || Object.hasOwn(scopeKeys, key))
    .map((key) => ({ place, key })),
);

test('the table of impossible values has every key of a selector', () => {
  const { $defs } = configurationSchema() as { $defs?: { selector: { properties: object } } };
  expect(Object.keys(impossible).sort()).toEqual(Object.keys($defs?.selector.properties ?? {}).sort());
});

test.each(impossibleCases)(
  'validate reports what "$key" can never match in a selector: $place',
  async ({ place, key }) => {
    for (const [code, values] of Object.entries(impossible[key] ?? {}))
      for (const value of values) {
        const marked = places[place]?.(key, value) ?? '';
        const { diagnostics } = await loadFiles({ 'attune.yaml': rootText(marked.replace('^', '')) });
        const found = diagnostics.map((one) => [one.code, one.location?.line, one.location?.column]);
        expect(found, marked).toEqual([[code, 3, marked.indexOf('^') + 1]]);
      }
  },
);
