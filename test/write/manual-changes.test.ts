import { describe, expect, test } from 'vitest';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { sharingSwitches } from '../../src/model/attributes.ts';
import { type Dialect, dialects } from '../../src/model/dialect.ts';
import { pathsOf } from '../../src/model/rows.ts';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';
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

// The other dialect has a subset of the attributes; the soak tier runs both.
describe.each(isSoak ? dialects : (['terraform'] as const))(
  'after an import in the %s dialect',
  (dialect) => {
    test(`after an import in the ${dialect} dialect, a manual change of any attribute of runs and sharing on any workspace is drift`, async () => {
      const world = await worldWith({}, { seed, dialect });
      const imported = await world.attune('import', '--organization', 'acme');
      expect(imported.code, imported.stderr).toBe(0);
      const unnoticed: string[] = [];
      for (const path of always(dialect)) {
        const before = new Map<string, Attributes>();
        for (const name of Object.keys(seed.workspaces)) {
          // With a duration the service computes the time.
          if (name === 'scheduled' && path === 'auto-destroy-at') continue;
          const attributes = await attributesOf(world, name);
          // The service refuses both switches.
          if (sharingSwitches.some((one) => path !== one && isSwitch(path) && attributes[one] === true))
            continue;
          before.set(name, attributes);
          await patch(world, name, { [path]: switched(path, attributes[path]) });
        }
        const { stdout } = await world.attune('drift', '--format', 'json');
        const changed = changedPaths(stdout);
        for (const name of before.keys())
          if (!changed.has(`${name} ${path}`)) unnoticed.push(`${name} ${path}`);
        for (const [name, attributes] of before) await patch(world, name, restored(path, attributes));
      }
      expect(unnoticed).toEqual([]);
      const { code, stdout } = await world.attune('drift');
      expect(code, stdout).toBe(0);
    });
  },
);

const isSwitch = (path: string) => sharingSwitches.some((one) => one === path);

type Attributes = Readonly<Record<string, unknown>>;

function restored(path: string, before: Attributes): Attributes {
  const { 'execution-mode': mode, 'setting-overwrites': overwrites, 'auto-destroy-at': at } = before;
  if (path === 'auto-destroy-activity-duration' && !before[path])
    return { [path]: null, 'auto-destroy-at': at };
  if (path !== 'execution-mode') return { [path]: before[path] };
  return {
    'execution-mode': mode,
    'setting-overwrites': overwrites,
    ...(mode === 'agent' && { 'agent-pool-id': 'apool-1' }),
  };
}

/** `<workspace> <path>` of each difference of a drift document; the flag that inherits a mode counts as the mode. */
function changedPaths(text: string): ReadonlySet<string> {
  const { changes } = JSON.parse(text) as {
    changes: { name: string; fields: { path: string }[] }[];
  };
  return new Set(
    changes.flatMap(({ name, fields }) =>
      fields.map(({ path }) => `${name} ${path.replace('setting-overwrites.', '')}`),
    ),
  );
}

async function attributesOf({ service }: World, name: string): Promise<Attributes> {
  return (await sendTo(service, 'GET', `/organizations/acme/workspaces/${name}`)).attributes;
}

async function patch({ service }: World, name: string, attributes: Attributes): Promise<void> {
  await sendTo(service, 'PATCH', `/organizations/acme/workspaces/${name}`, workspaceBody(attributes));
}
