import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../src/desired/load-config.ts';
import { type Configuration, hasConsumersOfLayer } from '../../src/model/configuration.ts';
import { workspaceAddress } from '../../src/model/state.ts';
import { renderConfiguration } from '../../src/write/render.ts';
import { folderWith } from '../support/attune.ts';

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schemas/attune.schema.json'), 'utf8'),
);

/** A value for every key of the root file that a rendered one has. */
const file = `attune: 1
organization: acme
service: {address: embedded, dialect: iac, rate: 5, parallelism: 2, timeout: 9, without: [data-retention], data: a.json, seed: b.yaml}
projects: {platform: prj-1}
teams: {sre: team-1}
ssh-keys: {deploy: sshkey-1}
agent-pools: {onprem: apool-1}
vcs-connections: {github: ot-1}
templates: {base: {remote-state-consumers: {exactly: [{tag: net}]}}}
workspaces: {app: {project: platform, extends: base, remote-state-consumers: {remove: [other]}}}
team-access: {platform: {sre: admin}}
scope: {projects: [platform], tags: [managed], names: ["*"], tagged: {env: prod}, adopt: [app], enforce: false}
prune: {workspaces: safe, team-access: true}
limits: {deletes: 1, delete-percent: 2, revokes: 3, updates: 4, update-percent: 5, exception-days: 30}
guards: {protect: ["*-prod"], keep-admin: [sre], keep-self: true}
exceptions: [{address: workspace.app, field: auto-apply, value: true, until: 2026-12-15, reason: INC-7}]
freeze: [{cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin, reason: weekend, select: {project: platform}}, {from: 2026-12-20, to: 2027-01-04T06:00:00Z, reason: year end}]
notify: [{to: webhook, url-env: HOOK, secret-env: KEY, on: [drift]}]
policies: [{id: no-apply, on: change, when: "true", require: "true", severity: error, message: none}]
`;

test('a rendered file has every setting of the root file', async () => {
  const document = renderConfiguration(await loaded(file));
  const layers = ['include', 'defaults', 'roles', 'synthesized'];
  const keys = Object.keys(schema.properties).filter((key) => !layers.includes(key));
  expect(Object.keys(document).sort()).toEqual(keys.sort());
  const keysOf = (section: string) => {
    const part = schema.properties[section];
    return Object.keys((part.$ref ? schema.$defs[part.$ref.split('/').at(-1)] : part).properties);
  };
  for (const section of ['service', 'scope', 'prune', 'limits', 'guards'])
    expect(Object.keys(document[section] ?? {}).sort()).toEqual(keysOf(section).sort());
});

test('a rendered file has the access that ends, exceptions and freeze windows as the root file has them', async () => {
  const ending = `{access: write, until: 2026-12-31, reason: Q4 migration}`;
  const document = renderConfiguration(await loaded(file.replace('{sre: admin}', `{sre: ${ending}}`)));
  const written = parse(file);
  for (const section of ['exceptions', 'freeze']) expect(document[section]).toEqual(written[section]);
  expect(document['team-access']).toEqual({ platform: { sre: parse(ending) } });
});

test('a part has the exceptions of its addresses alone', async () => {
  const pairs = [
    ['workspace.app', 'tags'],
    ['workspace.a*', 'auto-apply'],
    ['workspace.web', 'tags'],
  ];
  const rest = { until: '2026-12-15', reason: 'INC-7' };
  const exceptions = pairs.map(([address, field]) => ({ address, field, ...rest }));
  const configuration = await loaded(`attune: 1
organization: acme
exceptions: ${JSON.stringify(exceptions)}
workspaces: {app: {}, web: {}}
`);
  const ofApp = renderConfiguration(configuration, { chosen: (address) => address === 'workspace.app' });
  expect(ofApp.exceptions).toEqual(exceptions.slice(0, 2));
  expect(renderConfiguration(configuration).exceptions).toEqual(exceptions);
  expect(renderConfiguration(configuration, { chosen: () => false })).not.toHaveProperty('exceptions');
});

test('consumers of a layer are rendered in a template, because live sharing makes those of a workspace an error', async () => {
  const layers = `attune: 1
organization: acme
defaults: {workspace: {remote-state-consumers: [web]}}
templates:
  exact: {remote-state-consumers: {exactly: [{tag: net}, web]}}
  less: {remote-state-consumers: {remove: [old]}}
workspaces:
  adds: {unmanaged: [tags]}
  exact: {extends: exact}
  less: {extends: [exact, less]}
  own: {extends: exact, remote-state-consumers: {remove: [old]}}
`;
  const configuration = await loaded(layers);
  const document = renderConfiguration(configuration);
  const path = 'remote-state-consumers';
  const exactly = [{ tag: 'net' }, 'web'];
  expect(document).toMatchObject({
    templates: {
      'adds-lists': { [path]: { add: ['web'] } },
      'exact-lists': { [path]: { exactly } },
      'less-lists': { [path]: { exactly } },
      'less-removals': { [path]: { remove: ['old'] } },
      'own-lists': { [path]: { exactly } },
    },
    workspaces: {
      adds: { extends: 'adds-lists' },
      exact: { extends: 'exact-lists' },
      less: { extends: ['less-lists', 'less-removals'] },
      own: { extends: 'own-lists', [path]: { remove: ['old'] } },
    },
  });
  const again = await loaded(stringify(document));
  expect(renderConfiguration(again)).toEqual(document);
  const layersOf = ({ layered }: Configuration) =>
    ['adds', 'exact', 'less', 'own'].map((name) => hasConsumersOfLayer(workspaceAddress(name), { layered }));
  expect(layersOf(again)).toEqual([true, true, true, false]);
  expect(layersOf(configuration)).toEqual([true, true, true, false]);
  const attributesOf = ({ desired }: Configuration) =>
    [...desired.resources.values()].map(({ attributes }) => attributes);
  expect(attributesOf(again)).toEqual(attributesOf(configuration));
});

async function loaded(text: string): Promise<Configuration> {
  const cwd = await folderWith({ 'attune.yaml': text });
  const { configurations, diagnostics } = await loadConfig('attune.yaml', { cwd });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [configuration] = configurations;
  if (configuration === undefined) throw new Error('not loaded');
  return configuration;
}
