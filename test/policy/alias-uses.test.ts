import { describe, expect, test } from 'vitest';
import type { PolicySubject } from '../../src/model/policy.ts';
import { loadCompiler } from '../../src/policy/compile.ts';
import { Meter } from '../../src/policy/meter.ts';

const compileExpression = await loadCompiler();

function usesIn(text: string, subject: PolicySubject): readonly string[] {
  const { aliases } = compileExpression(text, subject, new Meter());
  return aliases.in(false).map(({ field, offset }) => `${field} at ${offset}`);
}

describe('a comparison of an alias with a constant is found', () => {
  test.each<readonly [PolicySubject, string, readonly string[]]>([
    ['grant', "grant.team == 'contractors'", ['grant.team at 0']],
    ['grant', "'contractors' != grant.team", ['grant.team at 17']],
    ['grant', "grant.team in ['contractors', 'friends']", ['grant.team at 0']],
    [
      'grant',
      "grant.team.startsWith('ext-') || grant['project'] == 'x'",
      ['grant.team at 0', 'grant.project at 33'],
    ],
    ['grant', "grant.?team.orValue('') == 'contractors'", ['grant.team at 0']],
    ['grant', "[grant.team].exists(t, t == 'contractors')", ['grant.team at 1']],
    ['grant', "{'contractors': true}[grant.team]", ['grant.team at 22']],
    ['grant', "grant.team + '/' + grant.project == 'a/b'", ['grant.team at 0', 'grant.project at 19']],
    ['grant', "grant.team.lowerAscii() == 'contractors'", ['grant.team at 0']],
    ['grant', "grant.address == 'team-access.payments/sre'", ['grant.address at 0']],
    ['workspace', "workspace.project.matches('^pay')", ['workspace.project at 0']],
    ['workspace', "'payments' in workspace.consumerProjects", ['workspace.consumerProjects at 14']],
    ['workspace', "workspace.consumerProjects.all(p, p in ['a'])", ['workspace.consumerProjects at 0']],
    ['project', "project.alias == 'payments'", ['project.alias at 0']],
    ['change', "change.name == 'payments/sre'", ['change.name at 0']],
    ['change', "change.kind == 'team-access' && change.name.endsWith('/sre')", ['change.name at 32']],
    ['change', "change.kind != 'project' || change.name == 'x'", ['change.name at 28']],
    ['change', "change.address.contains('contractors')", ['change.address at 0']],
    ['change', "change.address.endsWith('/sre')", ['change.address at 0']],
    ['change', "change.kind in ['workspace', 'project'] && change.name == 'x'", ['change.name at 43']],
    ['change', "change.kind == 'workspace' || change.name == 'x'", ['change.name at 30']],
    ['change', "change.kind in ['workspace', change.action] && change.name == 'x'", ['change.name at 47']],
    ['change', "change.fields.exists(f, f.path == 'project' && f.after == 'pay')", ['field.after at 47']],
    ['change', "change.fields.all(f, f.path != 'project' || f.before != 'pay')", ['field.before at 44']],
    [
      'change',
      "change.fields.exists(f, f['path'] == 'project' && f.?after.orValue('') in ['pay'])",
      ['field.after at 50'],
    ],
    [
      'change',
      "change.fields.all(f, !(f.path in ['project', 'tags']) || f.after != 'pay')",
      ['field.after at 57'],
    ],
    ['change', "change.fields.all(f, f.path == 'project' ? f.after != 'pay' : true)", ['field.after at 43']],
    [
      'change',
      "change.fields.filter(f, f.path == 'project').all(f, f.after.startsWith('pay'))",
      ['field.after at 52'],
    ],
    [
      'plan',
      "plan.changes.all(c, c.kind != 'workspace' || !c.fields.exists(f, f.path == 'project' && f.after == 'pay'))",
      ['field.after at 88'],
    ],
    ['plan', "plan.changes.exists(c, c.name == 'payments/sre')", ['change.name at 23']],
    ['plan', "plan.changes.filter(c, c.name == 'a').all(c, c.kind == 'workspace')", ['change.name at 23']],
  ])('%s: %s', (subject, text, expected) => {
    expect(usesIn(text, subject)).toEqual(expected);
  });
});

describe('no alias is compared with a constant', () => {
  test.each<readonly [PolicySubject, string]>([
    ['grant', "grant.teamName == 'contractors' && grant.projectId == 'prj-1'"],
    ['grant', "grant.access == 'admin' && size(grant.team) > 3"],
    ['grant', "grant.address.startsWith('team-access.')"],
    ['workspace', 'workspace.consumerProjects.all(project, project == workspace.project)'],
    ['workspace', "workspace.name.endsWith('-prod') && has(workspace.project)"],
    ['workspace', "workspace.address == 'workspace.network-prod'"],
    ['change', "change.kind == 'workspace' && change.name.endsWith('-prod')"],
    ['change', "change.kind != 'workspace' || change.name == 'x'"],
    ['change', "change.kind == 'workspace' ? change.name == 'x' : change.action != 'delete'"],
    ['change', "change.kind == 'project' || (change.kind != 'workspace' ? true : change.name == 'x')"],
    ['change', "change.kind in ['workspace'] && change.name == 'x'"],
    ['change', "!(change.kind in ['workspace']) || change.name == 'x'"],
    ['change', "!(change.kind != 'workspace') && change.name == 'x'"],
    ['change', "change.address.startsWith('workspace.') && change.name == 'x'"],
    ['change', "change.address.startsWith('team-access.') && change.action == 'create'"],
    ['change', "change.address.matches('^(team-access|project)\\\\.') && change.action == 'create'"],
    ['change', "change.address.matches('^workspace\\\\.net')"],
    ['change', "change.address != 'workspace.network-prod'"],
    ['change', "change.fields.exists(f, f.path == 'description' && f.after == 'pay')"],
    ['change', "change.fields.exists(f, f.path == 'project' && f.after == null)"],
    ['change', "change.fields.exists(f, f.path == 'project' && f.before == f.after)"],
    ['change', "change.fields.exists(f, f.path == 'project' || f.path == 'description' && f.after == 'x')"],
    ['change', "change.fields.all(f, f.path == 'project' ? f.after != null : f.after != 'pay')"],
    ['plan', "plan.changes.filter(c, c.kind == 'workspace' && c.name.endsWith('-prod')).size() < 5"],
    ['plan', "plan.changes.filter(c, c.kind == 'workspace').all(c, c.name.endsWith('-prod'))"],
  ])('%s: %s', (subject, text) => {
    expect(usesIn(text, subject)).toEqual([]);
  });

  test('the name of a change that `when` restricts to workspaces is none', () => {
    const when = compileExpression("change.kind == 'workspace'", 'change', new Meter());
    const require = compileExpression("change.name != 'x'", 'change', new Meter());
    expect(when.aliases.selectsWorkspaces).toBe(true);
    expect(require.aliases.in(when.aliases.selectsWorkspaces)).toEqual([]);
  });
});
