import { expect, test } from 'vitest';
import { configured } from './load-files.ts';

const root = `attune: 1
organization: acme
projects: {platform: prj-1}
defaults: {workspace: {tags: [managed]}}
templates: {service: {iac-version: "1.2.0"}}
workspaces:
  web: {extends: service, project: Payments, tags: [web]}
  api: {extends: service, auto-apply: true}
  old: {state: absent}
roles: {auditor: {access: read}}
team-access: {platform: {team-1: auditor}}
`;

test('layers are listed for the defaults, templates, workspaces, roles and grants, but not for tombstones', async () => {
  const { layered } = await configured({ 'attune.yaml': root });
  const addresses = ['defaults', 'template.service', 'workspace.web', 'workspace.api', 'role.auditor'];
  expect([...layered.keys()]).toEqual([...addresses, 'team-access.platform/team-1']);
  expect([...layered].map(([address]) => address)).toEqual([...layered.keys()]);
  expect(layered.get('workspace.old')).toBeUndefined();
});

test('the layers of a workspace are the same at each read', async () => {
  const { layered } = await configured({ 'attune.yaml': root });
  const read = layered.get('workspace.web');
  expect([...(read?.fields ?? [])].map(([path, { layer }]) => [path, layer])).toEqual([
    ['tags', 'workspace'],
    ['iac-version', 'template.service'],
    ['project', 'workspace'],
  ]);
  expect(JSON.stringify(new Map(layered).get('workspace.web'))).toBe(JSON.stringify(read));
});
