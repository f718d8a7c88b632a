import { expect, test } from 'vitest';
import { codesOnly } from '../support/codes-only.ts';
import { type Case, printedProblems } from './printed-problems.ts';

const cases: readonly Case[] = [
  {
    title: 'an unknown key with the nearest',
    yaml: `
workspaces:
  network-prod:
    project: prj-1
    tags: []
    auto-aply: true
`,
    printed: `
attune.yaml:7:5: error[unknown-key]: unknown key "auto-aply" in a workspace
  7 |     auto-aply: true
    |     ^
  hint: did you mean "auto-apply"?
`,
  },
  {
    title: 'an unknown key far from all, where there are few',
    yaml: `
limits: {everything: 3}
`,
    printed: `
attune.yaml:3:10: error[unknown-key]: unknown key "everything" in a limits mapping
  3 | limits: {everything: 3}
    |          ^
  hint: write deletes, delete-percent, revokes, updates, update-percent or exception-days
`,
  },
  {
    title: "the live service's name for a key",
    yaml: `
workspaces:
  a:
    terraform-version: "1.9"
    vcs-repo: {github-app-installation-id: ghain-1}
`,
    printed: `
attune.yaml:5:5: error[unknown-key]: unknown key "terraform-version" in a workspace
  5 |     terraform-version: "1.9"
    |     ^
  hint: write "iac-version"
attune.yaml:6:16: error[unknown-key]: unknown key "github-app-installation-id" in a vcs-repo
  6 |     vcs-repo: {github-app-installation-id: ghain-1}
    |                ^
  hint: write "vcs-app-installation-id"
`,
  },
  {
    title: 'names of Terraform, with underscores',
    yaml: `
workspaces:
  a: {terraform_version: "1.9", auto_apply: true}
`,
    printed: `
attune.yaml:4:7: error[unknown-key]: unknown key "terraform_version" in a workspace
  4 |   a: {terraform_version: "1.9", auto_apply: true}
    |       ^
  hint: write "iac-version"
attune.yaml:4:33: error[unknown-key]: unknown key "auto_apply" in a workspace
  4 |   a: {terraform_version: "1.9", auto_apply: true}
    |                                 ^
  hint: did you mean "auto-apply"?
`,
  },
  {
    title: 'a word in quotes where a flag is wanted',
    yaml: `
workspaces:
  a: {auto-apply: "yes"}
`,
    printed: `
attune.yaml:4:19: error[wrong-type]: "auto-apply" must be true or false, not "yes"
  4 |   a: {auto-apply: "yes"}
    |                   ^
  hint: write true, without quotes
`,
  },
  {
    title: 'a mapping where a list or its forms are wanted',
    yaml: `
workspaces:
  a: {tags: {env: prod}}
  b: {remote-state-consumers: {billing: read}}
`,
    printed: `
attune.yaml:4:14: error[unknown-key]: unknown key "env" in "tags"
  4 |   a: {tags: {env: prod}}
    |              ^
  hint: write a list, or a mapping with exactly, add or remove; key/value tags are under tag-bindings
attune.yaml:5:32: error[unknown-key]: unknown key "billing" in "remote-state-consumers"
  5 |   b: {remote-state-consumers: {billing: read}}
    |                                ^
  hint: write a list, or a mapping with exactly, add or remove
`,
  },
  {
    title: 'settings of workspaces directly under defaults',
    yaml: `
defaults: {auto-apply: false, execution_mode: remote, other: 1}
`,
    printed: `
attune.yaml:3:12: error[unknown-key]: unknown key "auto-apply" in a mapping of defaults
  3 | defaults: {auto-apply: false, execution_mode: remote, other: 1}
    |            ^
  hint: write it under defaults.workspace: "workspace: {auto-apply: ...}"
attune.yaml:3:31: error[unknown-key]: unknown key "execution_mode" in a mapping of defaults
  3 | defaults: {auto-apply: false, execution_mode: remote, other: 1}
    |                               ^
  hint: write it under defaults.workspace: "workspace: {execution-mode: ...}"
attune.yaml:3:55: error[unknown-key]: unknown key "other" in a mapping of defaults
  3 | defaults: {auto-apply: false, execution_mode: remote, other: 1}
    |                                                       ^
  hint: write workspace
`,
  },
  {
    title: 'a token in the file, which is not printed',
    yaml: `
service: {address: embedded, token: xyz123.atlasv1, api_token: "a b"}
`,
    printed: `
attune.yaml:3:30: error[unknown-key]: unknown key "token" in a service mapping
  3 | service: {address: embedded, token: **************, api_token: *****}
    |                              ^
  hint: remove it, and set ATTUNE_TOKEN in the environment: a token is never in a file
attune.yaml:3:53: error[unknown-key]: unknown key "api_token" in a service mapping
  3 | service: {address: embedded, token: **************, api_token: *****}
    |                                                     ^
  hint: remove it, and set ATTUNE_TOKEN in the environment: a token is never in a file
`,
  },
  {
    title: 'the address of a webhook in the file, which is not printed',
    yaml: `
notify:
  - {to: slack, url: "https://hooks.slack.com/services/T0/B0/xyz"}
  - {to: slack, url-env: https://hooks.slack.com/services/T0/B0/xyz, on: [drifts]}
`,
    printed: `
attune.yaml:4:5: error[missing-key]: an entry of "notify" requires the key "url-env"
  4 |   - {to: slack, url: ********************************************}
    |     ^
  hint: add "url-env: ..."
attune.yaml:4:17: error[unknown-key]: unknown key "url" in an entry of notify
  4 |   - {to: slack, url: ********************************************}
    |                 ^
  hint: remove it, and name the environment variable that contains the address: "url-env: SLACK_URL"
attune.yaml:5:26: error[bad-value]: "url-env" is not the name of an environment variable
  5 |   - {to: slack, url-env: ******************************************, on: [drifts]}
    |                          ^
  hint: set an environment variable to the value, and write its name: "url-env: SLACK_URL"
attune.yaml:5:75: error[bad-value]: an entry of "on" cannot be "drifts"
  5 |   - {to: slack, url-env: ******************************************, on: [drifts]}
    |                                                                           ^
  hint: did you mean "drift"? Allowed values: failed, applied, attention or drift
`,
  },
  {
    title: 'two receivers that would get one message twice',
    yaml: `
notify:
  - {to: slack, url-env: SLACK_URL}
  - {to: webhook, url-env: SLACK_URL}
  - {to: slack, url-env: SLACK_URL, on: [drift]}
  - {to: webhook, url-env: HOOK, on: [drift]}
  - {to: webhook, url-env: HOOK, on: [failed]}
  - {to: webhook, url-env: HOOK, secret-env: KEY}
`,
    printed: `
attune.yaml:4:5: error[duplicate-name]: the receiver slack of "SLACK_URL" is declared twice, also at attune.yaml:6:5
  4 |   - {to: slack, url-env: SLACK_URL}
    |     ^
  hint: keep one of them
attune.yaml:6:5: error[duplicate-name]: the receiver slack of "SLACK_URL" is declared twice, also at attune.yaml:4:5
  6 |   - {to: slack, url-env: SLACK_URL, on: [drift]}
    |     ^
  hint: keep one of them
`,
  },
  {
    title: 'a token of a service as the key of a signature',
    yaml: `
notify:
  - {to: webhook, url-env: HOOK, secret-env: ATTUNE_TOKEN}
  - {to: webhook, url-env: HOOK, secret-env: TF_TOKEN_app_terraform_io}
`,
    printed: `
attune.yaml:4:46: error[bad-value]: "secret-env" cannot be "ATTUNE_TOKEN": it contains the token of a service
  4 |   - {to: webhook, url-env: HOOK, secret-env: ATTUNE_TOKEN}
    |                                              ^
  hint: set another variable to a new key, and name that variable
attune.yaml:5:46: error[bad-value]: "secret-env" cannot be "TF_TOKEN_app_terraform_io": it contains the token of a service
  5 |   - {to: webhook, url-env: HOOK, secret-env: TF_TOKEN_app_terraform_io}
    |                                              ^
  hint: set another variable to a new key, and name that variable
`,
  },
  {
    title: 'the address of a webhook at another place under notify, which is not printed',
    yaml: `
notify:
  - https://hooks.slack.com/services/T0/B0/xyz
  - {to: https://hooks.slack.com/services/T0/B0/xyz, url-env: [hooks.slack.com/services/T0]}
workspacez: a/b
`,
    printed: `
attune.yaml:4:5: error[wrong-type]: an entry of "notify" must be a mapping, not "***"
  4 |   - ******************************************
    |     ^
  hint: write a mapping: {to: ...}
attune.yaml:5:10: error[bad-value]: "to" cannot be "***"
  5 |   - {to: ******************************************, url-env: [***************************]}
    |          ^
  hint: use slack or webhook
attune.yaml:5:63: error[wrong-type]: "url-env" must be text, not a list
  5 |   - {to: ******************************************, url-env: [***************************]}
    |                                                               ^
  hint: write a text: "..."
attune.yaml:6:1: error[unknown-key]: unknown key "workspacez" in a root file
  6 | workspacez: a/b
    | ^
  hint: did you mean "workspaces"?
`,
  },
  {
    title: 'a webhook address instead of the list under notify, which is not printed',
    yaml: `
notify: https://hooks.slack.com/services/T0/B0/xyz
`,
    printed: `
attune.yaml:3:9: error[wrong-type]: "notify" must be a list, not "***"
  3 | notify: ******************************************
    |         ^
  hint: write ["***"]
`,
  },
  {
    title: 'teams that would be created, and access at a workspace',
    yaml: `
teams:
  sre: {name: sre, organization-access: {manage-projects: true}}
workspaces:
  a: {team-access: {sre: admin}}
`,
    printed: `
attune.yaml:4:20: error[unknown-key]: unknown key "organization-access" in an alias
  4 |   sre: {name: sre, organization-access: {manage-projects: true}}
    |                    ^
  hint: keep "name" alone: Attune refers to teams that exist, and does not create or change them; Terraform or the pages of the service do
attune.yaml:6:7: error[unknown-key]: unknown key "team-access" in a workspace
  6 |   a: {team-access: {sre: admin}}
    |       ^
  hint: write it under team-access of the file, by project: teams have access to projects
`,
  },
  {
    title: 'kinds of things that Attune does not manage',
    yaml: `
variables: {region: eu}
run-triggers: []
workspaces:
  a: {variables: [], notifications: []}
`,
    printed: `
attune.yaml:3:1: error[unknown-key]: unknown key "variables" in a root file
  3 | variables: {region: eu}
    | ^
  hint: remove it: Attune does not manage variables; Terraform's tfe provider does
attune.yaml:4:1: error[unknown-key]: unknown key "run-triggers" in a root file
  4 | run-triggers: []
    | ^
  hint: remove it: Attune does not manage run triggers; Terraform's tfe provider does
attune.yaml:6:7: error[unknown-key]: unknown key "variables" in a workspace
  6 |   a: {variables: [], notifications: []}
    |       ^
  hint: remove it: Attune does not manage variables; Terraform's tfe provider does
attune.yaml:6:22: error[unknown-key]: unknown key "notifications" in a workspace
  6 |   a: {variables: [], notifications: []}
    |                      ^
  hint: remove it: Attune does not manage notifications of workspaces; Terraform's tfe provider does
`,
  },
  {
    title: 'a name inside a workspace',
    yaml: `
workspaces:
  a: {name: b}
`,
    printed: `
attune.yaml:4:7: error[unknown-key]: unknown key "name" in a workspace
  4 |   a: {name: b}
    |       ^
  hint: use the name as the key of the mapping; to rename the workspace, add renamed-from
`,
  },
  {
    title: 'a key of workspaces in a template',
    yaml: `
templates:
  t: {state: absent}
`,
    printed: `
attune.yaml:4:7: error[unknown-key]: unknown key "state" in a template
  4 |   t: {state: absent}
    |       ^
  hint: move it to a workspace
`,
  },
  {
    title: 'a missing key of the file',
    files: {
      'attune.yaml': `
attune: 1
`,
    },
    printed: `
attune.yaml:1:1: error[missing-key]: the file requires the key "organization"
  1 | attune: 1
    | ^
  hint: add the organization that the file declares: "organization: acme"
`,
  },
  {
    title: 'a missing version of the language',
    files: {
      'attune.yaml': `
organization: acme
`,
    },
    printed: `
attune.yaml:1:1: error[missing-key]: the file requires the key "attune"
  1 | organization: acme
    | ^
  hint: start the file with "attune: 1"
`,
  },
  {
    title: 'a version of the language that is not known',
    files: {
      'attune.yaml': `
attune: 2
organization: acme
`,
    },
    printed: `
attune.yaml:1:9: error[bad-value]: this version of Attune does not support version 2 of the configuration language
  1 | attune: 2
    |         ^
  hint: write 1
`,
  },
  {
    title: 'a missing key of a mapping',
    yaml: `
workspaces:
  a: {lock: {}}
`,
    printed: `
attune.yaml:4:7: error[missing-key]: "lock" requires the key "reason"
  4 |   a: {lock: {}}
    |       ^
  hint: add "reason: ..."
`,
  },
  {
    title: 'several missing keys of a mapping, each of them',
    yaml: `
notify: [{on: [drift]}]
`,
    printed: `
attune.yaml:3:10: error[missing-key]: an entry of "notify" requires the key "to"
  3 | notify: [{on: [drift]}]
    |          ^
  hint: add "to: ..."
attune.yaml:3:10: error[missing-key]: an entry of "notify" requires the key "url-env"
  3 | notify: [{on: [drift]}]
    |          ^
  hint: add "url-env: ..."
`,
  },
  {
    title: 'an entry that a list has twice',
    yaml: `
service: {without: [tag-bindings, tag-bindings]}
`,
    printed: `
attune.yaml:3:20: error[bad-value]: "without" has "tag-bindings" twice
  3 | service: {without: [tag-bindings, tag-bindings]}
    |                    ^
  hint: remove one of them
`,
  },
  {
    title: 'text where a flag is wanted',
    yaml: `
workspaces:
  a: {auto-apply: yes}
  b: {auto-apply: sometimes}
  c: {auto-apply: constructor}
  d: {auto-apply: __proto__}
`,
    printed: `
attune.yaml:4:19: error[wrong-type]: "auto-apply" must be true or false, not "yes"
  4 |   a: {auto-apply: yes}
    |                   ^
  hint: write true: YAML 1.2 reads yes as text
attune.yaml:5:19: error[wrong-type]: "auto-apply" must be true or false, not "sometimes"
  5 |   b: {auto-apply: sometimes}
    |                   ^
  hint: write true or false
attune.yaml:6:19: error[wrong-type]: "auto-apply" must be true or false, not "constructor"
  6 |   c: {auto-apply: constructor}
    |                   ^
  hint: write true or false
attune.yaml:7:19: error[wrong-type]: "auto-apply" must be true or false, not "__proto__"
  7 |   d: {auto-apply: __proto__}
    |                   ^
  hint: write true or false
`,
  },
  {
    title: 'text where a list is wanted',
    yaml: `
workspaces:
  a: {tags: prod}
`,
    printed: `
attune.yaml:4:13: error[wrong-type]: "tags" must be a list or a mapping, not "prod"
  4 |   a: {tags: prod}
    |             ^
  hint: write [prod]
`,
  },
  {
    title: 'text that YAML would read otherwise in a list without quotes',
    yaml: `
guards: {protect: "*-prod"}
`,
    printed: `
attune.yaml:3:19: error[wrong-type]: "protect" must be a list, not "*-prod"
  3 | guards: {protect: "*-prod"}
    |                   ^
  hint: write ["*-prod"]
`,
  },
  {
    title: 'a number where a duration is wanted, which quotes do not make one',
    yaml: `
workspaces:
  a: {auto-destroy-activity-duration: 14}
`,
    printed: `
attune.yaml:4:39: error[wrong-type]: "auto-destroy-activity-duration" must be text or null: 14 is read as a number
  4 |   a: {auto-destroy-activity-duration: 14}
    |                                       ^
  hint: write one to four digits, not all zero, and d (days) or h (hours): 14d
`,
  },
  {
    title: 'text where a number is wanted',
    yaml: `
limits: {deletes: "5"}
`,
    printed: `
attune.yaml:3:19: error[wrong-type]: "deletes" must be a whole number, not "5"
  3 | limits: {deletes: "5"}
    |                   ^
  hint: write 5, without quotes
`,
  },
  {
    title: 'a list where text is wanted',
    yaml: `
workspaces:
  a: {description: [x]}
`,
    printed: `
attune.yaml:4:20: error[wrong-type]: "description" must be text or null, not a list
  4 |   a: {description: [x]}
    |                    ^
  hint: write a text: "..."
`,
  },
  {
    title: 'a version that YAML reads as a number',
    yaml: `
workspaces:
  a: {iac-version: 1.10}
  b: {iac-version: 2}
`,
    printed: `
attune.yaml:4:20: error[unquoted-version]: "iac-version" must be text: 1.10 is read as the number 1.1
  4 |   a: {iac-version: 1.10}
    |                    ^
  hint: quote it: "1.10"
attune.yaml:5:20: error[unquoted-version]: "iac-version" must be text: 2 is read as a number
  5 |   b: {iac-version: 2}
    |                    ^
  hint: quote it: "2"
`,
  },
  {
    title: 'other text that YAML reads as something else',
    yaml: `
workspaces:
  a: {description: 1e3, working-directory: true}
`,
    printed: `
attune.yaml:4:20: error[wrong-type]: "description" must be text or null: 1e3 is read as the number 1000
  4 |   a: {description: 1e3, working-directory: true}
    |                    ^
  hint: quote it: "1e3"
attune.yaml:4:44: error[wrong-type]: "working-directory" must be text or null: true is read as a flag
  4 |   a: {description: 1e3, working-directory: true}
    |                                            ^
  hint: quote it: "true"
`,
  },
  {
    title: 'null where there is nothing to clear',
    yaml: `
workspaces:
  a:
    auto-apply: null
    execution-mode: ~
    iac-version: null
    tags:
    setting-overwrites: null
    vcs-repo: {identifier: null, ingress-submodules: null}
`,
    printed: `
attune.yaml:5:17: error[null-not-allowed]: "auto-apply" cannot be null: there is nothing to clear; write true or false
  5 |     auto-apply: null
    |                 ^
  hint: remove the line to leave the value unmanaged
attune.yaml:6:21: error[null-not-allowed]: "execution-mode" cannot be null: there is nothing to clear; write remote, local or agent
  6 |     execution-mode: ~
    |                     ^
  hint: remove the line to leave the value unmanaged
attune.yaml:7:18: error[null-not-allowed]: "iac-version" cannot be null: there is nothing to clear; write a value
  7 |     iac-version: null
    |                  ^
  hint: remove the line to leave the value unmanaged
attune.yaml:8:10: error[null-not-allowed]: "tags" cannot be null: there is nothing to clear; write [] to empty it
  8 |     tags:
    |          ^
  hint: remove the line to leave the value unmanaged
attune.yaml:9:25: error[null-not-allowed]: "setting-overwrites" cannot be null: it is a mapping
  9 |     setting-overwrites: null
    |                         ^
  hint: write {} to declare none of its keys, or remove the line
attune.yaml:10:28: error[null-not-allowed]: "identifier" cannot be null: there is nothing to clear; write a value
  10 |     vcs-repo: {identifier: null, ingress-submodules: null}
     |                            ^
  hint: remove the line to leave the value unmanaged
attune.yaml:10:54: error[null-not-allowed]: "ingress-submodules" cannot be null: there is nothing to clear; write true or false
  10 |     vcs-repo: {identifier: null, ingress-submodules: null}
     |                                                      ^
  hint: remove the line to leave the value unmanaged
`,
  },
  {
    title: 'null for a workspace',
    yaml: `
workspaces:
  a:
`,
    printed: `
attune.yaml:4:5: error[null-not-allowed]: "a" cannot be null: it is a mapping
  4 |   a:
    |     ^
  hint: write {} to declare none of its keys, or remove the line
`,
  },
  {
    title: 'null for a section',
    yaml: `
workspaces:
`,
    printed: `
attune.yaml:3:12: error[null-not-allowed]: "workspaces" cannot be null: it is a mapping
  3 | workspaces:
    |            ^
  hint: write {} to declare none of its keys, or remove the line
`,
  },
  {
    title: 'a wrong value with the nearest',
    yaml: `
workspaces:
  a: {execution-mode: remot}
`,
    printed: `
attune.yaml:4:23: error[bad-value]: "execution-mode" cannot be "remot"
  4 |   a: {execution-mode: remot}
    |                       ^
  hint: did you mean "remote"? Allowed values: remote, local or agent
`,
  },
  {
    title: 'a wrong value far from all',
    yaml: `
service: {dialect: english}
`,
    printed: `
attune.yaml:3:20: error[bad-value]: "dialect" cannot be "english"
  3 | service: {dialect: english}
    |                    ^
  hint: use iac or terraform
`,
  },
  {
    title: 'an address with too much in it',
    yaml: `
service: {address: "https://iac.example.com/api/v2"}
`,
    printed: `
attune.yaml:3:20: error[bad-value]: "address" cannot be "https://iac.example.com/api/v2"
  3 | service: {address: "https://iac.example.com/api/v2"}
    |                    ^
  hint: write https://<host> without /api/v2, user or query; or the word embedded
`,
  },
  {
    title: 'words that are none of those allowed, and not near to one',
    yaml: `
workspaces:
  a: {state: present, delete: hard}
  b: {setting-overwrites: {execution-mode: 5}}
team-access:
  prj-1:
    team-y: super
    team-z: {access: custom, workspace-access: {runs: write, variables: 5}}
`,
    printed: `
attune.yaml:4:14: error[bad-value]: "state" cannot be "present"
  4 |   a: {state: present, delete: hard}
    |              ^
  hint: write absent, or remove the line
attune.yaml:4:31: error[bad-value]: "delete" cannot be "hard"
  4 |   a: {state: present, delete: hard}
    |                               ^
  hint: use safe or force
attune.yaml:5:44: error[wrong-type]: "execution-mode" must be true or false, not 5
  5 |   b: {setting-overwrites: {execution-mode: 5}}
    |                                            ^
  hint: write true or false
attune.yaml:8:13: error[bad-value]: "team-y" cannot be "super": it is neither a level nor a role
  8 |     team-y: super
    |             ^
  hint: write read, write, maintain, admin, custom or none
attune.yaml:9:55: error[bad-value]: "runs" cannot be "write"
  9 |     team-z: {access: custom, workspace-access: {runs: write, variables: 5}}
    |                                                       ^
  hint: use read, plan or apply
attune.yaml:9:73: error[wrong-type]: "variables" must be text: 5 is read as a number
  9 |     team-z: {access: custom, workspace-access: {runs: write, variables: 5}}
    |                                                                         ^
  hint: use none, read or write
`,
  },
  {
    title: 'an unknown key far from all, where there are many',
    yaml: `
something-else: 1
`,
    printed: `
attune.yaml:3:1: error[unknown-key]: unknown key "something-else" in a root file
  3 | something-else: 1
    | ^
  hint: use one of the keys attune, organization, service, include, defaults, projects and 17 more; docs/configuration.md lists all keys
`,
  },
  {
    title: 'an organization that cannot be',
    files: {
      'attune.yaml': `
attune: 1
organization: ../acme
`,
    },
    printed: `
attune.yaml:2:15: error[bad-value]: invalid organization name "../acme"
  2 | organization: ../acme
    |               ^
  hint: write the name from the URL of the organization, without spaces, slashes and control characters
`,
  },
  {
    title: 'an organization that would act on a terminal',
    files: {
      'attune.yaml': `
attune: 1
organization: "acme\\e[2Jx\\x9b"
`,
    },
    printed: `
attune.yaml:2:15: error[bad-value]: invalid organization name "acme\\u001b[2Jx\\u{9b}"
  2 | organization: "acme\\e[2Jx\\x9b"
    |               ^
  hint: write the name from the URL of the organization, without spaces, slashes and control characters
`,
  },
  {
    title: 'names outside the allowed letters',
    yaml: `
workspaces:
  "billing prod": {renamed-from: "bil/ling"}
  b: {remote-state-consumers: ["app-*", "c d"]}
projects: {a/b: prj-1}
`,
    printed: `
attune.yaml:4:3: error[invalid-name]: invalid workspace name "billing prod"
  4 |   "billing prod": {renamed-from: "bil/ling"}
    |   ^
  hint: use letters, digits, "-" and "_"
attune.yaml:4:34: error[invalid-name]: invalid workspace name "bil/ling"
  4 |   "billing prod": {renamed-from: "bil/ling"}
    |                                  ^
  hint: use letters, digits, "-" and "_"
attune.yaml:5:32: error[invalid-name]: invalid workspace name "app-*"
  5 |   b: {remote-state-consumers: ["app-*", "c d"]}
    |                                ^
  hint: write a selector: {name: "app-*"}
attune.yaml:5:41: error[invalid-name]: invalid workspace name "c d"
  5 |   b: {remote-state-consumers: ["app-*", "c d"]}
    |                                         ^
  hint: use letters, digits, "-" and "_"
attune.yaml:6:12: error[invalid-name]: invalid alias "a/b"
  6 | projects: {a/b: prj-1}
    |            ^
  hint: remove "/", which separates project and team in addresses
`,
  },
  {
    title: 'a malformed duration',
    yaml: `
workspaces:
  a: {auto-destroy-activity-duration: 14 days}
  b: {auto-destroy-activity-duration: 0d}
  c: {auto-destroy-activity-duration: 12345h}
`,
    printed: `
attune.yaml:4:39: error[bad-duration]: "auto-destroy-activity-duration" cannot be "14 days"
  4 |   a: {auto-destroy-activity-duration: 14 days}
    |                                       ^
  hint: write one to four digits, not all zero, and d (days) or h (hours): 14d
attune.yaml:5:39: error[bad-duration]: "auto-destroy-activity-duration" cannot be "0d"
  5 |   b: {auto-destroy-activity-duration: 0d}
    |                                       ^
  hint: write one to four digits, not all zero, and d (days) or h (hours): 14d
attune.yaml:6:39: error[bad-duration]: "auto-destroy-activity-duration" cannot be "12345h"
  6 |   c: {auto-destroy-activity-duration: 12345h}
    |                                       ^
  hint: write one to four digits, not all zero, and d (days) or h (hours): 14d
`,
  },
  {
    title: 'a malformed timestamp',
    yaml: `
workspaces:
  a: {auto-destroy-at: tomorrow}
  b: {auto-destroy-at: "2026-02-30T00:00:00Z"}
  c: {auto-destroy-at: 2026-01-31 18:00}
`,
    printed: `
attune.yaml:4:24: error[bad-timestamp]: "auto-destroy-at" cannot be "tomorrow"
  4 |   a: {auto-destroy-at: tomorrow}
    |                        ^
  hint: write date, time and time zone: 2026-01-31T18:00:00Z
attune.yaml:5:24: error[bad-timestamp]: invalid "auto-destroy-at" "2026-02-30T00:00:00Z": this time does not exist
  5 |   b: {auto-destroy-at: "2026-02-30T00:00:00Z"}
    |                        ^
  hint: write an existing date and time with the time zone, such as 2026-01-31T18:00:00Z
attune.yaml:6:24: error[bad-timestamp]: "auto-destroy-at" cannot be "2026-01-31 18:00"
  6 |   c: {auto-destroy-at: 2026-01-31 18:00}
    |                        ^
  hint: write date, time and time zone: 2026-01-31T18:00:00Z
`,
  },
  {
    title: 'numbers outside their bounds',
    yaml: `
limits: {deletes: -1, delete-percent: 120}
service: {rate: 0, parallelism: 0}
`,
    printed: `
attune.yaml:3:19: error[bad-value]: "deletes" cannot be -1
  3 | limits: {deletes: -1, delete-percent: 120}
    |                   ^
  hint: write a whole number, 0 or more
attune.yaml:3:39: error[bad-value]: "delete-percent" cannot be 120
  3 | limits: {deletes: -1, delete-percent: 120}
    |                                       ^
  hint: write a number from 0 to 100
attune.yaml:4:17: error[bad-value]: "rate" cannot be 0
  4 | service: {rate: 0, parallelism: 0}
    |                 ^
  hint: write a number above 0
attune.yaml:4:33: error[bad-value]: "parallelism" cannot be 0
  4 | service: {rate: 0, parallelism: 0}
    |                                 ^
  hint: write a whole number, 1 or more
`,
  },
  {
    title: 'an empty text',
    yaml: `
workspaces:
  a: {iac-version: "", project: ""}
`,
    printed: `
attune.yaml:4:20: error[bad-value]: "iac-version" cannot be empty
  4 |   a: {iac-version: "", project: ""}
    |                    ^
  hint: write a value, or remove the line
attune.yaml:4:33: error[bad-value]: "project" cannot be empty
  4 |   a: {iac-version: "", project: ""}
    |                                 ^
  hint: write a value, or remove the line
`,
  },
  {
    title: 'an empty part of the scope',
    yaml: `
scope: {tags: []}
`,
    printed: `
attune.yaml:3:15: error[bad-value]: "tags" cannot be an empty list: it would match nothing
  3 | scope: {tags: []}
    |               ^
  hint: remove the line to match all
`,
  },
  {
    title: 'a retention policy with two values',
    yaml: `
workspaces:
  a: {data-retention: {delete-older-than-days: 3, dont-delete: true}}
  b: {data-retention: {}}
`,
    printed: `
attune.yaml:4:23: error[bad-value]: "data-retention" requires exactly one of the keys delete-older-than-days or dont-delete
  4 |   a: {data-retention: {delete-older-than-days: 3, dont-delete: true}}
    |                       ^
  hint: write {delete-older-than-days: ...} or {dont-delete: ...}
attune.yaml:5:23: error[bad-value]: "data-retention" requires exactly one of the keys delete-older-than-days or dont-delete
  5 |   b: {data-retention: {}}
    |                       ^
  hint: write {delete-older-than-days: ...} or {dont-delete: ...}
`,
  },
  {
    title: 'a tag rule with two conditions',
    yaml: `
workspaces:
  a: {tags: {exactly: [x], add: [y]}}
  b: {tags: {}}
`,
    printed: `
attune.yaml:4:13: error[bad-value]: "tags" combines "exactly" with other keys
  4 |   a: {tags: {exactly: [x], add: [y]}}
    |             ^
  hint: remove the other keys
attune.yaml:5:13: error[bad-value]: "tags" requires at least one of the keys exactly, add or remove
  5 |   b: {tags: {}}
    |             ^
  hint: write {exactly: ...}, {add: ...} or {remove: ...}
`,
  },
  {
    title: 'a selector needs a key, and none of its lists can be empty',
    yaml: `
workspaces:
  a: {remote-state-consumers: [{}, {tag: [], project: 1, except: [2], label: x}]}
`,
    printed: `
attune.yaml:4:32: error[bad-value]: an entry of "remote-state-consumers" requires at least one of the keys tag, project, name, tagged or except
  4 |   a: {remote-state-consumers: [{}, {tag: [], project: 1, except: [2], label: x}]}
    |                                ^
  hint: write {tag: ...}, {project: ...}, {name: ...}, {tagged: ...} or {except: ...}
attune.yaml:4:42: error[bad-value]: "tag" cannot be an empty list: it would match nothing
  4 |   a: {remote-state-consumers: [{}, {tag: [], project: 1, except: [2], label: x}]}
    |                                          ^
  hint: remove the line to match all
attune.yaml:4:55: error[wrong-type]: "project" must be text or a list: 1 is read as a number
  4 |   a: {remote-state-consumers: [{}, {tag: [], project: 1, except: [2], label: x}]}
    |                                                       ^
  hint: quote it: "1"
attune.yaml:4:67: error[wrong-type]: an entry of "except" must be text: 2 is read as a number
  4 |   a: {remote-state-consumers: [{}, {tag: [], project: 1, except: [2], label: x}]}
    |                                                                   ^
  hint: quote it: "2"
attune.yaml:4:71: error[unknown-key]: unknown key "label" in a consumer
  4 |   a: {remote-state-consumers: [{}, {tag: [], project: 1, except: [2], label: x}]}
    |                                                                       ^
  hint: write tag, project, name, tagged or except
`,
  },
  {
    title: 'one wrong value of an anchor is reported once',
    yaml: `
templates:
  t: &t {auto-apply: 1}
workspaces:
  a: *t
  b: *t
`,
    printed: `
attune.yaml:4:22: error[wrong-type]: "auto-apply" must be true or false, not 1
  4 |   t: &t {auto-apply: 1}
    |                      ^
  hint: write true or false
`,
  },
];

test.each(cases)('validate reports a key or value that the schema does not have: $title', async (given) => {
  expect(await printedProblems(given)).toBe(given.printed.slice(1));
});

test('validate reports what else is wrong beside a wrong value', async () => {
  const printed = await printedProblems({
    yaml: `
workspaces:
  a: {execution-mode: agent, agent-pool-id: 5}
  b: {auto-apply: 7, operations: true, execution-mode: remote}
  c: {extends: nothing, tags: 3}
`,
  });
  expect(codesOnly(printed, 'deprecated-operations', 'operations-with-execution-mode')).toBe(`\
attune.yaml:4:45: error[wrong-type]: "agent-pool-id" must be text or null: 5 is read as a number
  4 |   a: {execution-mode: agent, agent-pool-id: 5}
    |                                             ^
  hint: quote it: "5"
attune.yaml:5:19: error[wrong-type]: "auto-apply" must be true or false, not 7
  5 |   b: {auto-apply: 7, operations: true, execution-mode: remote}
    |                   ^
  hint: write true or false
attune.yaml:5:22: warning[deprecated-operations]
  5 |   b: {auto-apply: 7, operations: true, execution-mode: remote}
    |                      ^
attune.yaml:5:22: error[operations-with-execution-mode]
  5 |   b: {auto-apply: 7, operations: true, execution-mode: remote}
    |                      ^
attune.yaml:6:16: error[unknown-template]: unknown template "nothing"
  6 |   c: {extends: nothing, tags: 3}
    |                ^
  hint: declare it under templates
attune.yaml:6:31: error[wrong-type]: "tags" must be a list or a mapping, not 3
  6 |   c: {extends: nothing, tags: 3}
    |                               ^
  hint: write a list: [...]
`);
});
