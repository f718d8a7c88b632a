import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import { attune, worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

interface Row {
  readonly what: string;
  readonly files: string;
  /** The root file of the plan, instead of that of the snapshot. */
  readonly later?: string;
  readonly dialect?: Dialect;
  readonly prints: readonly string[];
}

const seed = {
  projects: {
    Platform: 'prj-platform',
    Payments: {
      id: 'prj-payments',
      'default-execution-mode': 'local',
      'auto-destroy-activity-duration': '1d',
    },
  },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  workspaces: {
    network: {
      ...{ project: 'Platform', tags: ['managed'], 'resource-count': 40 },
      'remote-state-consumers': ['undeclared'],
    },
    former: { tags: ['managed'] },
    app: { project: 'Payments', tags: ['reader'] },
    undeclared: { project: 'Payments', tags: ['managed'] },
  },
  'team-access': {
    'prj-platform': { 'team-sre': 'read', 'team-dev': 'read' },
    'prj-payments': { 'team-dev': 'write' },
  },
} as const;
const head = 'attune: 1\norganization: acme\nprojects: {platform: prj-platform, payments: prj-payments}\n';

test.each(rowsIn<Row>`
- what: a scope of tags that is pruned
  dialect: iac
  files: "workspaces: {network: {auto-apply: true, remote-state-consumers: [{tag: reader}]}, moved: {renamed-from: former, project: payments}, new: {tags: [managed]}}\nteam-access: {platform: {team-sre: admin}}\nscope: {tags: [managed]}\nprune: {workspaces: safe, team-access: true}\nlimits: {delete-percent: 100}\n"
  prints: ['- team-access.platform/dev', '- workspace.undeclared']
- what: a scope of a project
  files: "scope: {projects: [payments]}\nworkspaces: {app: {project: payments, auto-apply: true}, gone: {project: payments, state: absent}, old: {project: payments, state: absent}, older: {project: payments, state: absent}}\nteam-access: {payments: {team-dev: read}}\n"
  prints: [workspace.undeclared]
- what: a move, with what the project hands down
  files: "workspaces: {network: {project: platform}}\n"
  later: "workspaces: {network: {project: payments}}\n"
  prints: ['auto-destroy-activity-duration: (none) -> 1d']
- what: a move in the dialect that the files declare
  files: "service: {dialect: terraform}\nworkspaces: {network: {project: platform}}\n"
  later: "service: {dialect: terraform}\nworkspaces: {network: {project: payments}}\n"
  prints: ['auto-destroy-activity-duration: (none) -> 1d']
`)(
  'plan and drift from a snapshot are those of the service, byte for byte, without a token: $what',
  async ({ files, later, dialect = 'terraform', prints }) => {
    const world = await worldWith(head + files, { seed, dialect });
    expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
    if (later !== undefined) await writeFile(join(world.folder, 'attune.yaml'), head + later);
    let printed = '';
    for (const command of ['plan', 'drift']) {
      const online = await world.attune(command, '--quiet');
      const cwd = world.folder;
      expect(await attune([command, '--snapshot', 'live.json', '--quiet'], { cwd })).toEqual(online);
      printed += online.stdout;
    }
    for (const text of prints) expect(printed).toContain(text);
  },
);
