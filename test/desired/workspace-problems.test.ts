import { expect, test } from 'vitest';
import { type Case, printedProblems } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'operations together with execution-mode',
    yaml: `
workspaces:
  a: {operations: false, execution-mode: local}
`,
    printed: `
attune.yaml:4:7: warning[deprecated-operations]: "operations" is deprecated
  4 |   a: {operations: false, execution-mode: local}
    |       ^
  hint: write execution-mode: remote for true, local for false
attune.yaml:4:7: error[operations-with-execution-mode]: "operations" cannot be combined with "execution-mode"; see attune.yaml:4:26
  4 |   a: {operations: false, execution-mode: local}
    |       ^
  hint: remove operations, which is deprecated
`,
  },
  {
    title: 'operations in a template, the mode at the workspace',
    yaml: `
templates:
  old: {operations: false}
workspaces:
  a:
    extends: old
    execution-mode: local
`,
    printed: `
attune.yaml:4:9: warning[deprecated-operations]: "operations" is deprecated
  4 |   old: {operations: false}
    |         ^
  hint: write execution-mode: remote for true, local for false
attune.yaml:8:5: error[operations-with-execution-mode]: "operations" cannot be combined with "execution-mode"; see attune.yaml:4:9
  8 |     execution-mode: local
    |     ^
  hint: remove operations, which is deprecated
`,
  },
  {
    title: 'operations alone are deprecated',
    yaml: `
workspaces:
  a: {operations: true}
`,
    printed: `
attune.yaml:4:7: warning[deprecated-operations]: "operations" is deprecated
  4 |   a: {operations: true}
    |       ^
  hint: write execution-mode: remote for true, local for false
`,
  },
  {
    title: 'a pool with a mode that has none',
    yaml: `
workspaces:
  a: {execution-mode: remote, agent-pool-id: apool-1}
  b: {execution-mode: local, agent-pool-id: apool-1}
  c: {operations: true, agent-pool-id: apool-1}
`,
    printed: `
attune.yaml:4:31: error[agent-pool-mode]: "agent-pool-id" cannot be combined with execution-mode remote; see attune.yaml:4:7
  4 |   a: {execution-mode: remote, agent-pool-id: apool-1}
    |                               ^
  hint: write execution-mode: agent, or remove the pool (agent-pool-id: null if a layer names one)
attune.yaml:5:30: error[agent-pool-mode]: "agent-pool-id" cannot be combined with execution-mode local; see attune.yaml:5:7
  5 |   b: {execution-mode: local, agent-pool-id: apool-1}
    |                              ^
  hint: write execution-mode: agent, or remove the pool (agent-pool-id: null if a layer names one)
attune.yaml:6:7: warning[deprecated-operations]: "operations" is deprecated
  6 |   c: {operations: true, agent-pool-id: apool-1}
    |       ^
  hint: write execution-mode: remote for true, local for false
attune.yaml:6:25: error[agent-pool-mode]: "agent-pool-id" cannot be combined with operations: true; see attune.yaml:6:7
  6 |   c: {operations: true, agent-pool-id: apool-1}
    |                         ^
  hint: write execution-mode: agent, or remove the pool (agent-pool-id: null if a layer names one)
`,
  },
  {
    title: 'agent mode without a pool',
    yaml: `
workspaces:
  a: {execution-mode: agent}
  b: {execution-mode: agent, agent-pool-id: null}
`,
    printed: `
attune.yaml:4:7: error[agent-pool-missing]: execution-mode: agent requires "agent-pool-id"
  4 |   a: {execution-mode: agent}
    |       ^
  hint: set agent-pool-id to an alias under agent-pools, a name or an id
attune.yaml:5:7: error[agent-pool-missing]: execution-mode: agent requires "agent-pool-id"
  5 |   b: {execution-mode: agent, agent-pool-id: null}
    |       ^
  hint: set agent-pool-id to an alias under agent-pools, a name or an id
`,
  },
  {
    title: 'agent mode of a template without a pool is reported once',
    yaml: `
templates:
  t: {execution-mode: agent}
workspaces:
  a: {extends: t}
  b: {extends: t}
  c: {extends: t}
`,
    printed: `
attune.yaml:4:7: error[agent-pool-missing]: execution-mode: agent requires "agent-pool-id" (and 2 more)
  4 |   t: {execution-mode: agent}
    |       ^
  hint: set agent-pool-id to an alias under agent-pools, a name or an id
`,
  },
  {
    title: 'an own mode that is not named',
    yaml: `
workspaces:
  a: {setting-overwrites: {execution-mode: true}}
`,
    printed: `
attune.yaml:4:28: error[overwrites-need-mode]: setting-overwrites.execution-mode: true requires "execution-mode"
  4 |   a: {setting-overwrites: {execution-mode: true}}
    |                            ^
  hint: add execution-mode; it is sufficient without the flag
`,
  },
  {
    title: 'a mode beside the flag that inherits it, on a workspace and in a template',
    yaml: `
templates:
  inherits: {execution-mode: local, setting-overwrites: {execution-mode: false}}
workspaces:
  a:
    execution-mode: remote
    setting-overwrites: {execution-mode: false}
  b: {extends: inherits}
`,
    printed: `
attune.yaml:4:14: warning[ignored-execution-mode]: "execution-mode" is ignored: setting-overwrites.execution-mode: false selects the default of the project, else the organization's
  4 |   inherits: {execution-mode: local, setting-overwrites: {execution-mode: false}}
    |              ^
  hint: remove one of the two
attune.yaml:7:5: warning[ignored-execution-mode]: "execution-mode" is ignored: setting-overwrites.execution-mode: false selects the default of the project, else the organization's
  7 |     execution-mode: remote
    |     ^
  hint: remove one of the two
`,
  },
  {
    title: 'a pool beside the flag that inherits it',
    yaml: `
workspaces:
  a:
    execution-mode: agent
    agent-pool-id: apool-1
    setting-overwrites: {agent-pool: false}
`,
    printed: `
attune.yaml:6:5: warning[ignored-agent-pool]: "agent-pool-id" is ignored: setting-overwrites.agent-pool: false selects the default of the project, else the organization's
  6 |     agent-pool-id: apool-1
    |     ^
  hint: remove one of the two
`,
  },
  {
    title: 'a mode and a pool beside the flag that inherits the mode',
    yaml: `
workspaces:
  a:
    execution-mode: agent
    agent-pool-id: apool-1
    setting-overwrites: {execution-mode: false}
`,
    printed: `
attune.yaml:5:5: warning[ignored-execution-mode]: "execution-mode" is ignored: setting-overwrites.execution-mode: false selects the default of the project, else the organization's
  5 |     execution-mode: agent
    |     ^
  hint: remove one of the two
attune.yaml:6:5: warning[ignored-agent-pool]: "agent-pool-id" is ignored: setting-overwrites.execution-mode: false selects the default of the project, else the organization's
  6 |     agent-pool-id: apool-1
    |     ^
  hint: remove one of the two
`,
  },
  {
    title: 'an own pool beside an inherited mode in the terraform dialect',
    yaml: `
service: {dialect: terraform}
defaults: {workspace: {setting-overwrites: {execution-mode: false}}}
workspaces:
  a: {agent-pool-id: apool-1, setting-overwrites: {agent-pool: true}}
`,
    printed: `
attune.yaml:6:52: error[overwrites-differ]: "setting-overwrites.agent-pool: true" cannot be combined with "setting-overwrites.execution-mode: false" in the \`terraform\` dialect; see attune.yaml:4:45
  6 |   a: {agent-pool-id: apool-1, setting-overwrites: {agent-pool: true}}
    |                                                    ^
  hint: write agent-pool: false to inherit both, or add execution-mode: agent and remove the flags
`,
  },
  {
    title: 'a tombstone with a former name',
    yaml: `
workspaces:
  legacy: {state: absent, renamed-from: old}
`,
    printed: `
attune.yaml:4:27: error[renamed-from-absent]: a workspace with state: absent is not renamed, and "old" would stay
  4 |   legacy: {state: absent, renamed-from: old}
    |                           ^
  hint: remove the line; to delete "old", declare it with state: absent
`,
  },
  {
    title: 'two VCS connections',
    yaml: `
workspaces:
  a: {vcs-repo: {oauth-token-id: ot-1, vcs-app-installation-id: ghain-1}}
`,
    printed: `
attune.yaml:4:40: error[two-vcs-connections]: "oauth-token-id" cannot be combined with "vcs-app-installation-id"; see attune.yaml:4:18
  4 |   a: {vcs-repo: {oauth-token-id: ot-1, vcs-app-installation-id: ghain-1}}
    |                                        ^
  hint: keep one of the two
`,
  },
  {
    title: 'a time and a duration',
    yaml: `
workspaces:
  a: {auto-destroy-at: "2026-01-31T18:00:00Z", auto-destroy-activity-duration: 3d}
`,
    printed: `
attune.yaml:4:7: error[auto-destroy-both]: "auto-destroy-at" cannot be combined with "auto-destroy-activity-duration"; see attune.yaml:4:48
  4 |   a: {auto-destroy-at: "2026-01-31T18:00:00Z", auto-destroy-activity-duration: 3d}
    |       ^
  hint: keep one of the two, or clear one with null; with a duration, the service computes the time
`,
  },
  {
    title: 'triggers that exclude each other',
    yaml: `
workspaces:
  a: {trigger-patterns: ["*.tf"], trigger-prefixes: [modules]}
  b: {trigger-patterns: ["*.tf"], file-triggers-enabled: false}
  c: {trigger-prefixes: [m], vcs-repo: {tags-regex: "^v"}}
  d: {file-triggers-enabled: true, vcs-repo: {tags-regex: "^v"}}
`,
    printed: `
attune.yaml:4:7: warning[exclusive-triggers]: live services accept only one of "trigger-patterns" and "trigger-prefixes"; see attune.yaml:4:35
  4 |   a: {trigger-patterns: ["*.tf"], trigger-prefixes: [modules]}
    |       ^
  hint: keep one of the two triggers
attune.yaml:5:7: warning[exclusive-triggers]: live services accept only one of "trigger-patterns" and "file-triggers-enabled: false"; see attune.yaml:5:35
  5 |   b: {trigger-patterns: ["*.tf"], file-triggers-enabled: false}
    |       ^
  hint: keep one of the two triggers
attune.yaml:6:41: warning[exclusive-triggers]: live services accept only one of "tags-regex" and "trigger-prefixes"; see attune.yaml:6:7
  6 |   c: {trigger-prefixes: [m], vcs-repo: {tags-regex: "^v"}}
    |                                         ^
  hint: keep one of the two triggers
attune.yaml:7:47: warning[exclusive-triggers]: live services accept only one of "tags-regex" and "file-triggers-enabled: true"; see attune.yaml:7:7
  7 |   d: {file-triggers-enabled: true, vcs-repo: {tags-regex: "^v"}}
    |                                               ^
  hint: keep one of the two triggers
`,
  },
  {
    title: 'triggers that exclude each other in the terraform dialect',
    yaml: `
service: {dialect: terraform}
workspaces:
  a: {trigger-patterns: ["*.tf"], trigger-prefixes: [modules]}
`,
    printed: `
attune.yaml:5:7: error[exclusive-triggers]: live services accept only one of "trigger-patterns" and "trigger-prefixes"; see attune.yaml:5:35
  5 |   a: {trigger-patterns: ["*.tf"], trigger-prefixes: [modules]}
    |       ^
  hint: keep one of the two triggers
`,
  },
  {
    title: 'consumers beside global sharing',
    yaml: `
templates:
  open: {global-remote-state: true}
workspaces:
  a:
    extends: open
    remote-state-consumers: [b]
  b: {}
`,
    printed: `
attune.yaml:4:10: warning[global-remote-state]: every workspace of the organization can read this state, and the secrets in it
  4 |   open: {global-remote-state: true}
    |          ^
  hint: list the workspaces that need the state under remote-state-consumers
attune.yaml:8:5: error[consumers-with-global]: "remote-state-consumers" cannot be combined with global-remote-state: true; see attune.yaml:4:10
  8 |     remote-state-consumers: [b]
    |     ^
  hint: write global-remote-state: false to share the state with these consumers only
`,
  },
  {
    title: 'consumers of a layer beside global sharing are ignored with one note',
    yaml: `
templates:
  shared: {remote-state-consumers: [b]}
workspaces:
  a: {extends: shared, global-remote-state: true}
  b: {extends: shared, global-remote-state: true}
  c: {extends: shared}
`,
    printed: `
attune.yaml:4:12: note[consumers-ignored]: "remote-state-consumers" of a layer is ignored: global-remote-state is true, see attune.yaml:6:24 (and 1 more)
  4 |   shared: {remote-state-consumers: [b]}
    |            ^
  hint: write global-remote-state: false to share the state with these consumers only, or unmanaged: [remote-state-consumers] at the workspace
attune.yaml:6:24: warning[global-remote-state]: every workspace of the organization can read this state, and the secrets in it (and that of 1 more workspace)
  6 |   a: {extends: shared, global-remote-state: true}
    |                        ^
  hint: list the workspaces that need the state under remote-state-consumers
`,
  },
  {
    title: 'consumers beside sharing with the project',
    yaml: `
templates:
  team: {project-remote-state: true}
  shared: {remote-state-consumers: [b]}
workspaces:
  a: {extends: team, remote-state-consumers: [b]}
  b: {extends: [shared, team]}
`,
    printed: `
attune.yaml:5:12: note[consumers-ignored]: "remote-state-consumers" of a layer is ignored: project-remote-state is true, see attune.yaml:4:10
  5 |   shared: {remote-state-consumers: [b]}
    |            ^
  hint: write project-remote-state: false to share the state with these consumers only, or unmanaged: [remote-state-consumers] at the workspace
attune.yaml:7:22: error[consumers-with-global]: "remote-state-consumers" cannot be combined with project-remote-state: true; see attune.yaml:4:10
  7 |   a: {extends: team, remote-state-consumers: [b]}
    |                      ^
  hint: write project-remote-state: false to share the state with these consumers only
`,
  },
  {
    title: 'sharing with the organization and with the project',
    yaml: `
templates:
  open: {global-remote-state: true}
workspaces:
  a: {extends: open, project-remote-state: true}
`,
    printed: `
attune.yaml:4:10: warning[global-remote-state]: every workspace of the organization can read this state, and the secrets in it
  4 |   open: {global-remote-state: true}
    |          ^
  hint: list the workspaces that need the state under remote-state-consumers
attune.yaml:6:22: error[two-sharing-switches]: "global-remote-state" and "project-remote-state" cannot both be true; see attune.yaml:4:10
  6 |   a: {extends: open, project-remote-state: true}
    |                      ^
  hint: keep project-remote-state to share the state with the workspaces of the project only
`,
  },
  {
    title: 'an attribute of the other dialect',
    yaml: `
service: {dialect: iac}
workspaces:
  a: {project-remote-state: false}
`,
    printed: `
attune.yaml:5:7: error[not-in-dialect]: project-remote-state does not exist in the \`iac\` dialect: only \`terraform\` services have it
  5 |   a: {project-remote-state: false}
    |       ^
  hint: remove project-remote-state
`,
  },
  {
    title: 'unmanaged keys that do not exist or are set in the same layer',
    yaml: `
templates:
  t: {unmanaged: [iac-verison, branch, description], description: x}
workspaces:
  a: {extends: t, vcs-repo: {branch: main}, unmanaged: [vcs-repo, tags]}
`,
    printed: `
attune.yaml:4:19: error[unknown-key]: "iac-verison" is not a key that a workspace inherits
  4 |   t: {unmanaged: [iac-verison, branch, description], description: x}
    |                   ^
  hint: did you mean "iac-version"?
attune.yaml:4:32: error[unknown-key]: "branch" is not a key that a workspace inherits
  4 |   t: {unmanaged: [iac-verison, branch, description], description: x}
    |                                ^
  hint: did you mean "vcs-repo.branch"?
attune.yaml:4:40: error[unmanaged-and-set]: "description" is unmanaged and set in the same layer
  4 |   t: {unmanaged: [iac-verison, branch, description], description: x}
    |                                        ^
  hint: remove one of the two
attune.yaml:6:57: error[unmanaged-and-set]: "vcs-repo" is unmanaged and set in the same layer (vcs-repo.branch)
  6 |   a: {extends: t, vcs-repo: {branch: main}, unmanaged: [vcs-repo, tags]}
    |                                                         ^
  hint: remove one of the two
`,
  },
  {
    title: 'an empty list of a layer',
    yaml: `
defaults: {workspace: {trigger-patterns: []}}
templates:
  quiet: {tags: [], remote-state-consumers: {exactly: []}}
workspaces:
  a: {extends: quiet, tags: []}
`,
    printed: `
attune.yaml:3:24: warning[empty-layer-list]: "trigger-patterns" is an empty list: a list of a layer adds to each workspace, and this one adds nothing
  3 | defaults: {workspace: {trigger-patterns: []}}
    |                        ^
  hint: write trigger-patterns: {exactly: []} to empty the list, or remove the line
attune.yaml:5:11: warning[empty-layer-list]: "tags" is an empty list: a list of a layer adds to each workspace, and this one adds nothing
  5 |   quiet: {tags: [], remote-state-consumers: {exactly: []}}
    |           ^
  hint: write tags: {exactly: []} to empty the list, or remove the line
`,
  },
  {
    title: 'a trigger that is added and removed',
    yaml: `
workspaces:
  a: {trigger-patterns: {add: [x, y], remove: [y]}}
  b: {trigger-prefixes: {remove: [z], add: [z]}}
`,
    printed: `
attune.yaml:4:35: error[added-and-removed]: the pattern "y" is both added and removed
  4 |   a: {trigger-patterns: {add: [x, y], remove: [y]}}
    |                                   ^
  hint: keep one of the two
attune.yaml:5:35: error[added-and-removed]: the prefix "z" is both added and removed
  5 |   b: {trigger-prefixes: {remove: [z], add: [z]}}
    |                                   ^
  hint: keep one of the two
`,
  },
  {
    title: 'a consumer of itself',
    yaml: `
workspaces:
  a:
    remote-state-consumers: [b, a]
  b:
    remote-state-consumers: {add: [b]}
`,
    printed: `
attune.yaml:5:33: error[self-consumer]: the workspace "a" cannot be its own consumer
  5 |     remote-state-consumers: [b, a]
    |                                 ^
  hint: remove it from the list; a workspace can always read its own state
attune.yaml:7:36: error[self-consumer]: the workspace "b" cannot be its own consumer
  7 |     remote-state-consumers: {add: [b]}
    |                                    ^
  hint: remove it from the list; a workspace can always read its own state
`,
  },
  {
    title: 'a consumer that is deleted',
    yaml: `
workspaces:
  a: {remote-state-consumers: [legacy]}
  b: {remote-state-consumers: {remove: [legacy]}}
  legacy: {state: absent}
`,
    printed: `
attune.yaml:4:32: error[reference-to-tombstone]: "legacy" is deleted by this configuration (attune.yaml:6:3)
  4 |   a: {remote-state-consumers: [legacy]}
    |                                ^
  hint: remove it from the list
`,
  },
  {
    title: 'upper case in a tag',
    yaml: `
workspaces:
  a: {tags: [Prod, eu]}
`,
    printed: `
attune.yaml:4:14: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  4 |   a: {tags: [Prod, eu]}
    |              ^
  hint: write "prod"
`,
  },
  {
    title: 'a tag that is added and removed',
    yaml: `
workspaces:
  a: {tags: {add: [x, y], remove: [y]}}
`,
    printed: `
attune.yaml:4:23: error[added-and-removed]: the tag "y" is both added and removed
  4 |   a: {tags: {add: [x, y], remove: [y]}}
    |                       ^
  hint: keep one of the two
`,
  },
  {
    title: 'a tag that a workspace adds with other letter case than a layer removes it',
    yaml: `
defaults:
  workspace: {tags: {remove: [prod]}}
templates:
  again: {tags: {remove: [Prod]}}
workspaces:
  a: {tags: {add: [Prod]}}
  b: {tags: {add: [Prod], remove: [prod]}, extends: again}
  c: {tags: {add: [prod]}}
  d: {tags: {remove: [Prod]}}
`,
    printed: `
attune.yaml:6:27: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  6 |   again: {tags: {remove: [Prod]}}
    |                           ^
  hint: write "prod"
attune.yaml:8:20: warning[added-and-removed]: the tag "Prod" is added and "prod" is removed, but live services store tags in lower case: the workspace does not get the tag
  8 |   a: {tags: {add: [Prod]}}
    |                    ^
  hint: write "prod" to add it, or remove it here
attune.yaml:8:20: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  8 |   a: {tags: {add: [Prod]}}
    |                    ^
  hint: write "prod"
attune.yaml:9:20: warning[added-and-removed]: the tag "Prod" is added and "prod" is removed, but live services store tags in lower case: the workspace does not get the tag
  9 |   b: {tags: {add: [Prod], remove: [prod]}, extends: again}
    |                    ^
  hint: write "prod" to add it, or remove it here
attune.yaml:9:20: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  9 |   b: {tags: {add: [Prod], remove: [prod]}, extends: again}
    |                    ^
  hint: write "prod"
attune.yaml:11:23: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  11 |   d: {tags: {remove: [Prod]}}
     |                       ^
  hint: write "prod"
`,
  },
  {
    title: 'in the terraform dialect, a tag that is added and removed with different letter case',
    yaml: `
service: {dialect: terraform}
defaults:
  workspace: {tags: {exactly: [eu, PROD]}}
templates:
  private: {tags: {remove: [prod]}}
workspaces:
  a: {extends: private, tags: [Prod]}
  b: {extends: private, tags: [prod]}
`,
    printed: `
attune.yaml:5:36: warning[upper-case-tag]: the tag "PROD" has upper-case letters, and live services store tags in lower case
  5 |   workspace: {tags: {exactly: [eu, PROD]}}
    |                                    ^
  hint: write "prod"
attune.yaml:9:32: error[added-and-removed]: the tag "Prod" is added and "prod" is removed, but live services store tags in lower case: the workspace does not get the tag
  9 |   a: {extends: private, tags: [Prod]}
    |                                ^
  hint: write "prod" to add it, or remove it here
attune.yaml:9:32: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  9 |   a: {extends: private, tags: [Prod]}
    |                                ^
  hint: write "prod"
`,
  },
  {
    title: 'in the iac dialect, tags that differ in letter case are two tags',
    yaml: `
service: {dialect: iac}
workspaces:
  a: {tags: {add: [Prod], remove: [prod]}}
`,
    printed: `
attune.yaml:5:20: warning[upper-case-tag]: the tag "Prod" has upper-case letters, and live services store tags in lower case
  5 |   a: {tags: {add: [Prod], remove: [prod]}}
    |                    ^
  hint: write "prod"
`,
  },
  {
    title: 'consumers that are added and removed',
    yaml: `
projects: {web: prj-1}
defaults:
  workspace:
    remote-state-consumers:
      add: [x, {tag: eu}, {name: "b-*"}, {project: web}]
      remove: [z, {tag: eu}, {tag: us}, x, {project: web}]
workspaces:
  a: {}
  b: {}
`,
    printed: `
attune.yaml:7:13: error[added-and-removed]: the consumer "x" is both added and removed
  7 |       add: [x, {tag: eu}, {name: "b-*"}, {project: web}]
    |             ^
  hint: keep one of the two
attune.yaml:7:16: error[added-and-removed]: the consumer {tag: "eu"} is both added and removed
  7 |       add: [x, {tag: eu}, {name: "b-*"}, {project: web}]
    |                ^
  hint: keep one of the two
attune.yaml:7:42: error[added-and-removed]: the consumer {project: "web"} is both added and removed
  7 |       add: [x, {tag: eu}, {name: "b-*"}, {project: web}]
    |                                          ^
  hint: keep one of the two
`,
  },
  {
    title: 'values that the schema rejects cause no problem of a rule',
    yaml: `
workspaces:
  a:
    tag-bindings: 5
    tags: {add: 5, remove: [x]}
    trigger-patterns: {add: [a, null], remove: [a]}
  b:
    trigger-patterns: null
    trigger-prefixes: [/infra]
    tags: {exactly: ["\\u202Ex"]}
  c: 5
scope: {names: ['*'], adopt: [d]}
`,
    printed: `
attune.yaml:5:19: error[wrong-type]: "tag-bindings" must be a mapping, not 5
  5 |     tag-bindings: 5
    |                   ^
  hint: write a mapping: {exactly: ...}
attune.yaml:6:17: error[wrong-type]: "add" must be a list, not 5
  6 |     tags: {add: 5, remove: [x]}
    |                 ^
  hint: write a list: [...]
attune.yaml:7:33: error[null-not-allowed]: an entry of "add" cannot be null: there is nothing to clear; write a value
  7 |     trigger-patterns: {add: [a, null], remove: [a]}
    |                                 ^
  hint: remove the line to leave the value unmanaged
attune.yaml:9:23: error[null-not-allowed]: "trigger-patterns" cannot be null: there is nothing to clear; write [] to empty it
  9 |     trigger-patterns: null
    |                       ^
  hint: remove the line to leave the value unmanaged
attune.yaml:11:22: warning[invisible-character]: the tag "\\u{202e}x" has an invisible character, U+202E
  11 |     tags: {exactly: ["\\u202Ex"]}
     |                      ^
  hint: type the name again, or copy it from the service
attune.yaml:12:6: error[wrong-type]: "c" must be a mapping, not 5
  12 |   c: 5
     |      ^
  hint: write a mapping: {extends: ...}
attune.yaml:13:31: warning[adopt-undeclared]: "d" is under scope.adopt, and no workspace is declared by this name or renamed from it
  13 | scope: {names: ['*'], adopt: [d]}
     |                               ^
  hint: declare the workspace, or remove the name
`,
  },
  {
    title: 'no settings exclude each other if one of them is null, empty or a removal',
    yaml: `
workspaces:
  a:
    auto-destroy-at: null
    auto-destroy-activity-duration: 14d
    vcs-repo: {identifier: acme/app, oauth-token-id: ot-1, tags-regex: null}
    trigger-prefixes: [/infra]
  b:
    setting-overwrites: {agent-pool: false}
    agent-pool-id: null
    trigger-patterns: {remove: [a]}
    trigger-prefixes: {exactly: [b]}
  c:
    trigger-patterns: {exactly: []}
    trigger-prefixes: {add: [b]}
  d:
    trigger-patterns: {add: []}
    trigger-prefixes: {add: [b]}
  e:
    vcs-repo: {identifier: acme/app, oauth-token-id: ot-1, tags-regex: ""}
    trigger-prefixes: [/infra]
  f: {auto-destroy-at: 2026-01-31t18:00:00z}
`,
    printed: '',
  },
  {
    title: 'a tag expression together with patterns that are added',
    yaml: `
workspaces:
  a:
    vcs-repo: {identifier: acme/app, oauth-token-id: ot-1, tags-regex: v.*}
    trigger-patterns: {add: [a]}
`,
    printed: `
attune.yaml:5:60: warning[exclusive-triggers]: live services accept only one of "tags-regex" and "trigger-patterns"; see attune.yaml:6:5
  5 |     vcs-repo: {identifier: acme/app, oauth-token-id: ot-1, tags-regex: v.*}
    |                                                            ^
  hint: keep one of the two triggers
`,
  },
  {
    title: 'two settings of one template that exclude each other are reported at the first',
    yaml: `
templates:
  t:
    auto-destroy-at: 2026-01-31T18:00:00Z
    auto-destroy-activity-duration: 14d
workspaces:
  a: {extends: t}
`,
    printed: `
attune.yaml:5:5: error[auto-destroy-both]: "auto-destroy-at" cannot be combined with "auto-destroy-activity-duration"; see attune.yaml:6:5
  5 |     auto-destroy-at: 2026-01-31T18:00:00Z
    |     ^
  hint: keep one of the two, or clear one with null; with a duration, the service computes the time
`,
  },
  {
    title: 'a consumer that a template removes and the workspace adds is reported once',
    yaml: `
templates:
  t: {remote-state-consumers: {remove: [gone]}}
workspaces:
  a: {extends: t, remote-state-consumers: {add: [gone]}}
  gone: {state: absent}
`,
    printed: `
attune.yaml:6:50: error[reference-to-tombstone]: "gone" is deleted by this configuration (attune.yaml:7:3)
  6 |   a: {extends: t, remote-state-consumers: {add: [gone]}}
    |                                                  ^
  hint: remove it from the list
`,
  },
  {
    title: 'a tombstone claims no former name, and delete with an unknown state is one problem',
    yaml: `
workspaces:
  a: {renamed-from: x, state: absent}
  b: {renamed-from: x}
  c: {state: gone, delete: force}
`,
    printed: `
attune.yaml:4:7: error[renamed-from-absent]: a workspace with state: absent is not renamed, and "x" would stay
  4 |   a: {renamed-from: x, state: absent}
    |       ^
  hint: remove the line; to delete "x", declare it with state: absent
attune.yaml:6:14: error[bad-value]: "state" cannot be "gone"
  6 |   c: {state: gone, delete: force}
    |              ^
  hint: write absent, or remove the line
`,
  },
  {
    title: 'lists that the schema rejects cause no problem of a rule',
    yaml: `
workspaces:
  a: {tags: 5, remote-state-consumers: 5, trigger-patterns: {add: [a], remove: 5}}
`,
    printed: `
attune.yaml:4:13: error[wrong-type]: "tags" must be a list or a mapping, not 5
  4 |   a: {tags: 5, remote-state-consumers: 5, trigger-patterns: {add: [a], remove: 5}}
    |             ^
  hint: write a list: [...]
attune.yaml:4:40: error[wrong-type]: "remote-state-consumers" must be a list or a mapping, not 5
  4 |   a: {tags: 5, remote-state-consumers: 5, trigger-patterns: {add: [a], remove: 5}}
    |                                        ^
  hint: write a list: [...]
attune.yaml:4:80: error[wrong-type]: "remove" must be a list, not 5
  4 |   a: {tags: 5, remote-state-consumers: 5, trigger-patterns: {add: [a], remove: 5}}
    |                                                                                ^
  hint: write a list: [...]
`,
  },
  {
    title: 'workspaces that share their state with all are one warning with their number',
    yaml: `
templates: {open: {global-remote-state: true}}
workspaces:
  a: {global-remote-state: true}
  b: {extends: open}
  c: {global-remote-state: true}
  d: {}
`,
    printed: `
attune.yaml:5:7: warning[global-remote-state]: every workspace of the organization can read this state, and the secrets in it (and that of 2 more workspaces)
  5 |   a: {global-remote-state: true}
    |       ^
  hint: list the workspaces that need the state under remote-state-consumers
`,
  },
];

test.each(cases)(
  'validate reports a problem of a workspace with all of its layers: $title',
  async (given) => {
    expect(await printedProblems(given)).toBe(given.printed.slice(1));
  },
);
