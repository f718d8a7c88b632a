import { expect, test } from 'vitest';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { sharingSwitches } from '../../src/model/attributes.ts';
import { type Dialect, dialects } from '../../src/model/dialect.ts';
import { pathsOf } from '../../src/model/rows.ts';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { worldWith } from '../support/attune.ts';
import { isSoak } from '../support/cases.ts';

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-1' },
  'agent-pools': { onprem: 'apool-1' },
  workspaces: {
    plain: {},
    network: { project: 'Platform' },
    dns: { project: 'Platform', 'execution-mode': 'remote' },
    agent: { 'execution-mode': 'agent', 'agent-pool-id': 'onprem' },
    scheduled: { 'auto-destroy-activity-duration': '14d' },
    shared: {
      'auto-apply': true,
      'global-remote-state': true,
      'file-triggers-enabled': false,
      'queue-all-runs': true,
      'speculative-enabled': false,
      'allow-destroy-plan': false,
      'auto-apply-run-trigger': true,
      'auto-destroy-at': '2027-01-31T18:00:00Z',
    },
  },
} as const;

const always = (dialect: Dialect) =>
  pathsOf(workspaceAttributes, dialect).filter((path) => workspaceAttributes[path].alwaysImported);

/** Another value than the live one. */
function switched(path: string, live: unknown): unknown {
  if (typeof live === 'boolean') return !live;
  if (path === 'execution-mode') return 'local';
  if (path === 'auto-destroy-at') return live ? null : '2030-01-01T00:00:00Z';
  return live ? null : '30d';
}

/** Attributes that the service refuses or computes beside others are changed after another import. */
const rounds = (dialect: Dialect) => {
  const apart = ['auto-destroy-at', 'project-remote-state'];
  return [false, true].map((isApart) => always(dialect).filter((path) => apart.includes(path) === isApart));
};

// The other dialect has a subset of the attributes; the soak tier runs both.
test.each(isSoak ? dialects : (['terraform'] as const))(
  'after an import in the %s dialect, a manual change of any attribute of runs and sharing on any workspace is drift',
  async (dialect) => {
    for (const paths of rounds(dialect)) {
      const world = await worldWith({}, { seed, dialect });
      const imported = await world.attune('import', '--organization', 'acme');
      expect(imported.code, imported.stderr).toBe(0);
      const changed: string[] = [];
      for (const name of Object.keys(seed.workspaces)) {
        const own = '/organizations/acme/workspaces/';
        const { attributes } = await sendTo(world.service, 'GET', own + name);
        for (const path of paths) {
          // With a duration the service computes the time, and it refuses both switches.
          if (name === 'scheduled' && path === 'auto-destroy-at') continue;
          if (isSwitch(path) && sharingSwitches.some((one) => path !== one && attributes[one] === true))
            continue;
          const body = workspaceBody({ [path]: switched(path, attributes[path]) });
          await sendTo(world.service, 'PATCH', own + name, body);
          changed.push(`${name} ${path}`);
        }
      }
      const { stdout } = await world.attune('drift', '--format', 'json');
      expect([...changedPaths(stdout)]).toEqual(expect.arrayContaining(changed));
    }
  },
);

const isSwitch = (path: string) => sharingSwitches.some((one) => one === path);

/** `<workspace> <path>` of each difference of a drift document; the flag that inherits a mode counts as the mode. */
function changedPaths(text: string): ReadonlySet<string> {
  const { changes } = JSON.parse(text) as { changes: { name: string; fields: { path: string }[] }[] };
  return new Set(
    changes.flatMap(({ name, fields }) =>
      fields.map(({ path }) => `${name} ${path.replace('setting-overwrites.', '')}`),
    ),
  );
}
