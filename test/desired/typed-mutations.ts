import { parse } from 'yaml';
import { rowsIn } from '../support/rows.ts';

/** A configuration with every kind of value that the schema knows, as data: JSON is YAML, too. */
export const everyKey: Readonly<Record<string, unknown>> = parse(`
attune: 1
organization: acme
service: {address: https://iac.example.com, dialect: terraform, rate: 20, parallelism: 10, timeout: 30, without: [], data: data.json, seed: seed.yaml}
include: [more/*.yaml]
projects:
  platform: prj-7hWq
  payments: {name: Payments}
  web:
    {id: prj-web, manage: true, name: Web, description: x, renamed-from: Site, protect: true, auto-destroy-activity-duration: 14d,
      tag-bindings: {env: prod, none: null}, default-execution-mode: agent, default-agent-pool: onprem}
  added: {name: Added, manage: true, tag-bindings: {add: {env: prod}, remove: [old]}}
  gone: {name: Gone, manage: true, state: absent}
teams: {sre: team-a1, developers: {name: Developers}}
ssh-keys: {deploy: sshkey-9f}
agent-pools: {onprem: apool-2}
vcs-connections: {github: ot-1}
roles: {auditor: {access: custom, workspace-access: {runs: plan}}}
defaults: {workspace: {tags: [managed], tag-bindings: {owner: sre}}}
templates:
  service: {unmanaged: [operations], iac-version: ~> 1.9.0, trigger-patterns: {exactly: [a/**]}, tags: {add: [x]}, tag-bindings: {exactly: {tier: one}}}
  other: {extends: [service], trigger-patterns: {add: [b/**], remove: [a/**]}, trigger-prefixes: {add: [b], remove: [a]}}
  selecting: {when: {tag: x, except: [network]}, queue-all-runs: true}
  exact:
    remote-state-consumers: {exactly: [network]}
    trigger-prefixes: {exactly: [a]}
    vcs-repo: {vcs-app-installation-id: ghain-1, tags-regex: v.*, ingress-submodules: true}
workspaces:
  network:
    {project: platform, extends: service, description: x, protect: true, tags: {add: [network], remove: [prod]},
      tag-bindings: {add: {env: prod}, remove: [old]},
      remote-state-consumers: [billing, {tag: x, project: [web], name: a*, tagged: {env: prod}, except: [a]}],
      ssh-key: deploy, lock: {reason: freeze}, data-retention: {delete-older-than-days: 30}, auto-destroy-at: null,
      setting-overwrites: {execution-mode: true, agent-pool: true}, execution-mode: agent, agent-pool-id: onprem,
      allow-destroy-plan: true, assessments-enabled: false, working-directory: infra, auto-apply: true,
      auto-apply-run-trigger: true, file-triggers-enabled: true, global-remote-state: false, project-remote-state: false,
      queue-all-runs: false, speculative-enabled: true, source-name: x, source-url: https://example.com}
  billing:
    {renamed-from: bills, trigger-prefixes: [a], auto-destroy-activity-duration: 3d,
      vcs-repo: {identifier: acme/billing, oauth-token-id: github, branch: main}, tag-bindings: {cost: "101"},
      remote-state-consumers: {add: [network], remove: [old]}, lock: true, data-retention: {dont-delete: true}, tags: {exactly: [a]}}
  legacy: {state: absent, delete: force}
  old: {operations: true}
team-access:
  platform:
    sre: admin
    developers:
      access: custom
      project-access: {settings: read, teams: read, variable-sets: read}
      workspace-access: {runs: plan, state-versions: read, variables: read, policy-mocks: read, create: true, locking: true, delete: false, move: false, run-tasks: false, policy-overrides: false}
  web: {sre: {access: auditor, until: 2026-12-31, reason: Q4 migration}, developers: none}
scope: {projects: [platform], tags: [a], names: ["*-prod"], tagged: {env: prod}, adopt: [billing], enforce: true}
prune: {workspaces: safe, team-access: true}
limits: {deletes: 5, delete-percent: 20, revokes: 1, updates: 1, update-percent: 5, exception-days: 30}
guards: {protect: ["*-prod", {tag: [a], tagged: {env: prod}}], keep-admin: [sre], keep-self: true}
notify: [{to: webhook, url-env: URL, secret-env: SECRET, on: [failed, drift]}]
exceptions: [{address: workspace.web-*, field: auto-apply, value: true, until: 2026-12-15, reason: INC-7}]
freeze:
  - {cron: 0 18 * * 5, for: 60h, timezone: Europe/Berlin, reason: weekend}
  - {from: 2026-12-20T00:00:00Z, to: 2027-01-04, reason: year end, select: {tagged: {env: prod}}}
policies: [{id: p, on: change, when: "true", require: "true", severity: warning, message: x}]
`);

/** Values of every type, in place of another. */
export const otherTypes: readonly unknown[] = [
  Number.MAX_VALUE,
  ...rowsIn`
[null, true, 101, -1.5, '', x, '*', prj-1, [], [null], [101], [true], [x], [[]], [{}], {}, {x: null}, {x: 101}, {x: true}, {x: []}, {x: {}},
  {exactly: 101}, {exactly: {x: 101}}, {add: {x: 101}}, {add: [101]}, {remove: [101]}, {add: {}, remove: {}}, {name: 101}, {id: 101},
  {access: 101}, {tagged: {x: 101}}, {tag: 101}, {workspace: 101}, {manage: 101}]`,
];

export type Path = readonly (string | number)[];

/** What a YAML file has at a value beside its data: an anchor or tag before it, text instead of it, or more members. */
export interface Mark {
  readonly path: Path;
  readonly before?: string;
  readonly instead?: string;
  readonly member?: string;
}

/** The document as YAML with these marks, one line for each of its keys. */
export function yamlOf(value: unknown, marks: readonly Mark[], path: Path = []): string {
  const here = marks.filter((mark) => JSON.stringify(mark.path) === JSON.stringify(path));
  const instead = here.find((mark) => mark.instead !== undefined);
  if (instead) return instead.instead ?? '';
  const before = here.map((mark) => mark.before ?? '').join('');
  const inner = ([key, one]: [string | number, unknown]) => yamlOf(one, marks, [...path, key]);
  if (Array.isArray(value)) return `${before}[${[...value.entries()].map(inner).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return `${before}${JSON.stringify(value)}`;
  const members = [
    ...here.flatMap(({ member }) => member ?? []),
    ...Object.entries(value).map((one) => `${JSON.stringify(one[0])}: ${inner(one)}`),
  ];
  return `${before}{${members.join(path.length === 0 ? ',\n' : ', ')}}`;
}

/** The paths of all values in a document, its own included. */
export function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

/** The document with another value at a path. */
export function withValue(document: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(document))
    return document.map((one, index) => (index === key ? withValue(one, rest, value) : one));
  const mapping = document as Readonly<Record<string, unknown>>;
  return { ...mapping, [key]: withValue(mapping[key], rest, value) };
}

/** The document without the members beside these paths. Lists keep their entries. */
export function partOf(document: unknown, paths: readonly Path[]): unknown {
  if (Array.isArray(document)) return document;
  if (typeof document !== 'object' || document === null || paths.some((path) => path.length === 0))
    return document;
  return Object.fromEntries(
    Object.entries(document).flatMap(([key, value]) => {
      const inner = paths.filter((path) => path[0] === key).map((path) => path.slice(1));
      return inner.length > 0 ? [[key, partOf(value, inner)]] : [];
    }),
  );
}
