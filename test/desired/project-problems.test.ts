import { expect, test } from 'vitest';
import { printedProblems } from './printed-problems.ts';

test('the agent pool of a project goes with the mode agent, and only with it', async () => {
  const yaml = `
projects:
  a: {name: Aaa, manage: true, default-execution-mode: agent}
  b: {name: Bbb, manage: true, default-execution-mode: local, default-agent-pool: apool-1}
  c: {name: Ccc, manage: true, default-agent-pool: apool-1}
  d: {name: Ddd, manage: true, default-execution-mode: null, default-agent-pool: null}
  e: {name: Eee, manage: true, default-execution-mode: agent, default-agent-pool: team-A1}
  f: {name: Fff, manage: true, default-execution-mode: other}
`;
  expect(await printedProblems({ yaml })).toBe(
    `
attune.yaml:4:32: error[agent-pool-missing]: default-execution-mode: agent requires "default-agent-pool"
  4 |   a: {name: Aaa, manage: true, default-execution-mode: agent}
    |                                ^
  hint: set default-agent-pool to an alias under agent-pools, a name or an id
attune.yaml:5:63: error[agent-pool-mode]: "default-agent-pool" requires default-execution-mode: agent
  5 |   b: {name: Bbb, manage: true, default-execution-mode: local, default-agent-pool: apool-1}
    |                                                               ^
  hint: write default-execution-mode: agent, or remove the pool
attune.yaml:6:32: error[agent-pool-mode]: "default-agent-pool" requires default-execution-mode: agent
  6 |   c: {name: Ccc, manage: true, default-agent-pool: apool-1}
    |                                ^
  hint: write default-execution-mode: agent, or remove the pool
attune.yaml:8:83: error[bad-id]: "team-A1" is the id of a team, but an agent pool is required
  8 |   e: {name: Eee, manage: true, default-execution-mode: agent, default-agent-pool: team-A1}
    |                                                                                   ^
  hint: write apool-..., or its name; a name that looks like an id is written as agent-pools: {name: "team-A1"}
attune.yaml:9:56: error[bad-value]: "default-execution-mode" cannot be "other"
  9 |   f: {name: Fff, manage: true, default-execution-mode: other}
    |                                                        ^
  hint: use remote, local, agent or null
`.slice(1),
  );
});

test('every problem of managed projects and of references to them is reported at its place', async () => {
  const yaml = `
projects:
  described: {name: Described, description: x}
  nameless: {manage: true}
  a b: {name: A B C, manage: true}
  short: {name: A, manage: true}
  gone: {name: Gone, manage: true, state: absent, protect: true, renamed-from: Went}
  twice: {name: gone, manage: true}
  itself: {name: Itself, manage: true, renamed-from: itself}
  wrong: {id: team-a1, manage: true}
  one: {id: prj-1, manage: true, protect: true}
  two: {id: prj-1, manage: true, state: absent}
workspaces:
  w: {project: gone}
team-access:
  gone: {team-a1: read}
`;
  expect(await printedProblems({ yaml })).toBe(
    `
attune.yaml:4:32: error[unmanaged-project]: the project "described" declares "description" without manage: true
  4 |   described: {name: Described, description: x}
    |                                ^
  hint: add manage: true to let Attune create and update the project, or remove "description"
attune.yaml:5:3: error[missing-key]: "nameless" needs the key "name"
  5 |   nameless: {manage: true}
    |   ^
  hint: add "name: ..."
attune.yaml:6:3: error[invalid-name]: invalid alias "a b" of a managed project
  6 |   a b: {name: A B C, manage: true}
    |   ^
  hint: use letters, digits, "-" and "_" for the alias, and set \`name\` to the name on the service
attune.yaml:7:17: error[invalid-name]: invalid project name "A"
  7 |   short: {name: A, manage: true}
    |                 ^
  hint: use 3 to 40 letters, digits, spaces, "-" and "_", without a space at either end
attune.yaml:8:10: error[duplicate-name]: the project "gone" is declared twice, also at attune.yaml:9:11
  8 |   gone: {name: Gone, manage: true, state: absent, protect: true, renamed-from: Went}
    |          ^
  hint: keep one of them
attune.yaml:8:51: error[protected]: the project is protected and cannot be deleted
  8 |   gone: {name: Gone, manage: true, state: absent, protect: true, renamed-from: Went}
    |                                                   ^
  hint: remove protect: true first
attune.yaml:8:66: error[renamed-from-absent]: a project with state: absent is not renamed, and "Went" would stay
  8 |   gone: {name: Gone, manage: true, state: absent, protect: true, renamed-from: Went}
    |                                                                  ^
  hint: remove the line
attune.yaml:9:11: error[duplicate-name]: the project "gone" is declared twice, also at attune.yaml:8:10
  9 |   twice: {name: gone, manage: true}
    |           ^
  hint: keep one of them
attune.yaml:10:54: error[renamed-from-declared]: the project "itself" cannot be renamed from itself
  10 |   itself: {name: Itself, manage: true, renamed-from: itself}
     |                                                      ^
  hint: remove the line
attune.yaml:11:15: error[bad-id]: invalid id "team-a1" of a project
  11 |   wrong: {id: team-a1, manage: true}
     |               ^
  hint: write an id prj-..., or set \`name\` to the name
attune.yaml:12:9: error[duplicate-name]: the project prj-1 is declared twice, also at attune.yaml:13:9
  12 |   one: {id: prj-1, manage: true, protect: true}
     |         ^
  hint: keep one of them
attune.yaml:13:9: error[duplicate-name]: the project prj-1 is declared twice, also at attune.yaml:12:9
  13 |   two: {id: prj-1, manage: true, state: absent}
     |         ^
  hint: keep one of them
attune.yaml:15:7: error[reference-to-tombstone]: the project "gone" is deleted by this configuration (attune.yaml:8:3)
  15 |   w: {project: gone}
     |       ^
  hint: choose another project, or remove \`state: absent\` there
attune.yaml:17:3: error[reference-to-tombstone]: the project "gone" is deleted by this configuration (attune.yaml:8:3)
  17 |   gone: {team-a1: read}
     |   ^
  hint: choose another project, or remove \`state: absent\` there
`.trimStart(),
  );
});
