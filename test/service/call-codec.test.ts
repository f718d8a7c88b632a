import { expect, test } from 'vitest';
import type { Operation, Written } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import { bodyOf, writtenBy } from '../../src/service/call-codec.ts';
import { rowsIn } from '../support/rows.ts';

// The operation, what the call writes, and its body, if it has one.
test.each(rowsIn<[Operation, Written, Value?]>`
- [createProject, {values: {name: Base, description: null}, bindings: {exactly: {env: prod, team: null}}},
   {data: {type: projects, attributes: {name: Base, description: null}, relationships: {tag-bindings: {data: [{type: tag-bindings, attributes: {key: env, value: prod}}, {type: tag-bindings, attributes: {key: team}}]}}}}]
- [upsertProjectBindings, {values: {}, bindings: {add: {env: prod}, remove: []}}, {data: [{type: tag-bindings, attributes: {key: env, value: prod}}]}]
- [createWorkspace, {values: {name: app, trigger-prefixes: [b, a], project: '{project.base}'}, tags: {add: [x], remove: []}},
   {data: {type: workspaces, attributes: {name: app, trigger-prefixes: [b, a]}, relationships: {project: {data: {type: projects, id: '{project.base}'}}, tags: {data: [{type: tags, attributes: {name: x}}]}}}}]
- [unlockWorkspace, {values: {lock: {locked: false}}}]
- [moveWorkspaces, {values: {project: '{project.base}'}}, {data: [{type: workspaces, id: tprj-1}]}]
- [updateWorkspace, {values: {auto-apply: true, trigger-prefixes: null, vcs-repo: null}, bindings: {exactly: {}}},
   {data: {type: workspaces, attributes: {auto-apply: true, trigger-prefixes: null, vcs-repo: null}, relationships: {tag-bindings: {data: []}}}}]
- [addTags, {values: {}, tags: {add: [x, a], remove: []}}, {data: [{type: tags, attributes: {name: x}}, {type: tags, attributes: {name: a}}]}]
- [removeTags, {values: {}, tags: {add: [], remove: [x]}}, {data: [{type: tags, attributes: {name: x}}]}]
- [replaceConsumers, {values: {}, consumers: {exactly: []}}, {data: []}]
- [addConsumers, {values: {}, consumers: {add: [ws-1], remove: []}}, {data: [{type: workspaces, id: ws-1}]}]
- [removeConsumers, {values: {}, consumers: {add: [], remove: [ws-1]}}, {data: [{type: workspaces, id: ws-1}]}]
- [assignSshKey, {values: {ssh-key: null}}, {data: {type: workspaces, attributes: {id: null}}}]
- [setRetention, {values: {data-retention: {delete-older-than-days: 7}}}, {data: {type: data-retention-policy-delete-olders, attributes: {delete-older-than-n-days: 7}}}]
- [removeRetention, {values: {data-retention: null}}]
- [createGrant, {values: {access: custom, workspace-access.runs: plan, project: prj-1, team: team-1}},
   {data: {type: team-projects, attributes: {access: custom, workspace-access: {runs: plan}}, relationships: {project: {data: {type: projects, id: prj-1}}, team: {data: {type: teams, id: team-1}}}}}]
- [updateGrant, {values: {access: read}}, {data: {id: tprj-1, type: team-projects, attributes: {access: read}}}]
- [lockWorkspace, {values: {lock: {locked: true, reason: audit}}}, {reason: audit}]
- [deleteWorkspace, {values: {}}]
`)('the body of %s has what the call writes and nothing else', (operation, written, body) => {
  expect(bodyOf(operation, written, { dialect: 'iac', id: 'tprj-1' })).toEqual(body);
  // Only a move has a part of what it writes in its path.
  const path = '/projects/{project.base}/relationships/workspaces';
  const call = { operation, path, ...(body !== undefined && { body }) };
  expect(writtenBy(call, 'iac')).toEqual(written);
});
