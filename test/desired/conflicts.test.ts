import { expect, test } from 'vitest';
import { conflictsOf } from '../../src/desired/conflicts.ts';
import { loadConfig } from '../../src/desired/load-config.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { lookUpNames } from '../../src/resolve/look-up-names.ts';
import { rowsIn } from '../support/rows.ts';
import { inFolder } from './load-files.ts';

/** The names of a service. */
const names = {
  projects: { Old: 'prj-1', Other: 'prj-2' },
  teams: { sre: 'team-1', ops: 'team-2' },
} as const;

/** The conflicts between root files `a.yaml`, `b.yaml` and so on, without their first line and braces, before the look-ups, else after. */
async function conflictsBetween(bodies: readonly string[]): Promise<readonly string[]> {
  const files = bodies.map((body, index): [string, string] => {
    const organization = body.startsWith('organization:') ? '' : ' organization: acme,';
    return [`${String.fromCodePoint(97 + index)}.yaml`, `{attune: 1,${organization}\n${body}}\n`];
  });
  return await inFolder(Object.fromEntries(files), async (cwd) => {
    const loaded = await loadConfig(
      files.map(([file]) => file),
      { cwd },
    );
    const before = loaded.diagnostics.filter(({ severity }) => severity === 'error');
    if (before.length > 0) return before.map(shown);
    const namesOf = async (kind: string) =>
      Object.entries(names[kind as keyof typeof names]).map(([name, id]) => ({ name, id }));
    const named = await Promise.all(loaded.configurations.map((one) => lookUpNames(one, namesOf)));
    const found = conflictsOf(named, cwd);
    return named.flatMap((one) =>
      (found.get(one) ?? []).map((problem) => `after look-ups: ${shown(problem)}`),
    );
  });
}

function shown({
  code,
  message,
  location: { file = '', line = 0, column = 0 } = {} as never,
}: Diagnostic): string {
  return `${file}:${line}:${column} ${code}: ${message}`;
}

test.each(rowsIn<[string, string[], string[]]>`
- ['different objects', ['workspaces: {a: {}}', 'workspaces: {b: {}}', 'projects: {c: {name: Old, manage: true, renamed-from: app}}', 'workspaces: {app: {}}, team-access: {prj-2: {team-1: read}}'], []]
- ['a workspace and a grant', ['workspaces: {a: {}}, team-access: {prj-1: {team-1: read}}', 'projects: {pay: prj-1}, workspaces: {a: {}}, team-access: {pay: {team-1: admin}}'], ['a.yaml:2:14 duplicate-name: the workspace "a" is declared twice, also at b.yaml:2:38', 'a.yaml:2:44 duplicate-name: the access of one team to one project is declared twice, also as "pay/team-1" at b.yaml:2:66', 'b.yaml:2:38 duplicate-name: the workspace "a" is declared twice, also at a.yaml:2:14', 'b.yaml:2:66 duplicate-name: the access of one team to one project is declared twice, also as "prj-1/team-1" at a.yaml:2:44']]
- ['an organization in another letter case', ['workspaces: {a: {}}', 'organization: Acme, workspaces: {a: {}}'], ['a.yaml:2:14 duplicate-name: the workspace "a" is declared twice, also at b.yaml:2:34', 'b.yaml:2:34 duplicate-name: the workspace "a" is declared twice, also at a.yaml:2:14']]
- ['a service that is written differently', ['service: {address: "https://x.example.com"}, workspaces: {a: {}}', 'service: {address: "https://X.example.com/"}, workspaces: {a: {}}'], ['a.yaml:2:59 duplicate-name: the workspace "a" is declared twice, also at b.yaml:2:60', 'b.yaml:2:60 duplicate-name: the workspace "a" is declared twice, also at a.yaml:2:59']]
- ['two services', ['service: {address: "https://x.example.com"}, workspaces: {a: {}}', 'service: {address: "https://y.example.com"}, workspaces: {a: {}}'], []]
- ['the former name of a workspace that another file deletes', ['workspaces: {old: {state: absent}}', 'workspaces: {new: {renamed-from: old}}'], ['b.yaml:2:20 renamed-from: the former name "old" is declared, too, at a.yaml:2:14']]
- ['the former name of a workspace that another file protects', ['workspaces: {old: {protect: true}}', 'workspaces: {new: {renamed-from: old}}'], ['b.yaml:2:20 renamed-from: the former name "old" is declared, too, at a.yaml:2:14']]
- ['one former name of two workspaces', ['workspaces: {new: {renamed-from: old}}', 'workspaces: {other: {renamed-from: old}}'], ['a.yaml:2:20 renamed-from: "old" is also the former name of "other", at b.yaml:2:22', 'b.yaml:2:22 renamed-from: "old" is also the former name of "new", at a.yaml:2:20']]
- ['a project by its name in another letter case', ['projects: {a: {name: New, manage: true, renamed-from: Old}}', 'projects: {b: {name: new, manage: true}}'], ['a.yaml:2:16 duplicate-name: the project "New" is declared twice, also as "b" at b.yaml:2:16', 'b.yaml:2:16 duplicate-name: the project "new" is declared twice, also as "a" at a.yaml:2:16']]
- ['one former name of two projects', ['projects: {a: {name: New, manage: true, renamed-from: Old}}', 'projects: {b: {name: Third, manage: true, renamed-from: Old}}'], ['a.yaml:2:41 duplicate-name: the project "Old" is declared twice, also as "b" at b.yaml:2:43', 'b.yaml:2:43 duplicate-name: the project "Old" is declared twice, also as "a" at a.yaml:2:41']]
- ['the former name of a project that another file deletes', ['projects: {a: {name: New, manage: true, renamed-from: Old}}', 'projects: {b: {name: Old, manage: true, state: absent}}'], ['a.yaml:2:41 duplicate-name: the project "Old" is declared twice, also as "b" at b.yaml:2:16', 'b.yaml:2:16 duplicate-name: the project "Old" is declared twice, also as "a" at a.yaml:2:41']]
- ['one alias of two projects', ['projects: {one: {name: Old, manage: true}}', 'projects: {one: {name: Other, manage: true}}'], ['a.yaml:2:12 duplicate-name: two root files use the address project.one for different objects, also at b.yaml:2:12', 'b.yaml:2:12 duplicate-name: two root files use the address project.one for different objects, also at a.yaml:2:12']]
- ['a project that is protected by its id and deleted by its name', ['projects: {one: {id: prj-1, manage: true, protect: true}}', 'projects: {two: {name: Old, manage: true, state: absent}}'], ['after look-ups: a.yaml:2:18 duplicate-name: the project "prj-1" is declared twice, also as "two" at b.yaml:2:12', 'after look-ups: b.yaml:2:12 duplicate-name: the project "prj-1" is declared twice, also as "one" at a.yaml:2:18']]
- ['a project that is protected by its name and deleted by its id', ['projects: {one: {name: Old, manage: true, protect: true}}', 'projects: {two: {id: prj-1, manage: true, state: absent}}'], ['after look-ups: a.yaml:2:12 duplicate-name: the project "prj-1" is declared twice, also as "two" at b.yaml:2:18', 'after look-ups: b.yaml:2:18 duplicate-name: the project "prj-1" is declared twice, also as "one" at a.yaml:2:12']]
- ['a workspace and access in a project that another file deletes', ['projects: {two: {name: Old, manage: true, state: absent}}', 'workspaces: {app: {project: prj-1}}, team-access: {prj-1: {team-1: admin}}'], ['after look-ups: b.yaml:2:20 reference-to-tombstone: the project "two" is deleted (state: absent at a.yaml:2:12)', 'after look-ups: b.yaml:2:60 reference-to-tombstone: the project "two" is deleted (state: absent at a.yaml:2:12)']]
- ['one grant by ids and by names', ['team-access: {prj-1: {team-2: none}}', 'projects: {pay: {name: Old}}, teams: {on-call: {name: ops}}, team-access: {pay: {on-call: read}}'], ['after look-ups: a.yaml:2:23 duplicate-name: the access of one team to one project is declared twice, also as "pay/on-call" at b.yaml:2:82', 'after look-ups: b.yaml:2:82 duplicate-name: the access of one team to one project is declared twice, also as "prj-1/team-2" at a.yaml:2:23']]
- ['two grants of one project by ids and by names', ['team-access: {prj-1: {team-1: none}}', 'projects: {pay: {name: Old}}, teams: {on-call: {name: ops}}, team-access: {pay: {on-call: read}}'], []]
`)('root files of one organization do not declare one object twice: %s', async (_, bodies, expected) => {
  expect(await conflictsBetween(bodies)).toEqual(expected);
});
