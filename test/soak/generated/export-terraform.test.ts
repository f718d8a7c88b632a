import { expect, onTestFinished, test } from 'vitest';
import { readConfiguration, terraformExport } from '../../../src/cdktf/index.ts';
import type { EmulatorOptions } from '../../../src/emulator/index.ts';
import { coupledPaths } from '../../../src/model/attributes.ts';
import type { Configuration } from '../../../src/model/configuration.ts';
import type { Diagnostic, DiagnosticsError } from '../../../src/model/diagnostic.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { type Resource, workspaceAddress } from '../../../src/model/state.ts';
import { applyExport } from '../../../tools/terraform-provider/apply-export.ts';
import { everyState } from '../../cdktf/every-state.ts';
import { configurationOf, openScene, type Scene } from '../../properties/scene.ts';

test.each([
  ['hosted', 0],
  ['self-hosted', 1],
] as const)(
  'terraform apply of an export does what attune apply does, but for what the export reports: %s service',
  async (edition, turn) => {
    const { workspaces, seed } = everyState(turn);
    const options = { dialect: 'terraform', edition, seed } as const;
    const [attune, terraform] = [await scene(options), await scene(options)];
    const { plan, configuration } = await accepted(workspaces, attune);
    const { changes } = await attune.apply(plan);
    expect(changes.filter(({ result }) => result !== 'done')).toEqual([]);

    const { live } = await readConfiguration(configuration, terraform.client);
    const exported = terraformExport(configuration, { live });
    await applyExport(exported, { url: terraform.service.url, token: 'test-token' });

    const reported = new Set(exported.unsupported.flatMap(reportedPaths));
    const [wanted, found] = [await after(configuration, attune), await after(configuration, terraform)];
    const lost = [...wanted].flatMap(([address, { attributes }]) =>
      Object.keys({ ...attributes, ...found.get(address)?.attributes })
        .map((path) => [path, found.get(address)?.attributes[path], attributes[path]] as const)
        .filter(
          ([path, one, other]) =>
            JSON.stringify(one) !== JSON.stringify(other) && !reported.has(`${address} ${path}`),
        )
        .map(([path, one, other]) => ({ address, path, terraform: one, attune: other })),
    );
    expect(lost).toEqual([]);
    expect(wanted.size).toBeGreaterThan(300);
  },
);

async function scene(options: EmulatorOptions): Promise<Scene> {
  const opened = await openScene(options);
  onTestFinished(() => opened.close());
  return opened;
}

/** The plan without the workspaces that the files or the service refuse. */
async function accepted(
  declared: Readonly<Record<string, unknown>>,
  service: Scene,
): Promise<{ readonly plan: Plan; readonly configuration: Configuration }> {
  const { configuration, diagnostics } = await configurationOf({
    service: { dialect: 'terraform' },
    workspaces: declared,
  });
  const plan = configuration
    ? await service.plan(configuration).catch((error: DiagnosticsError) => error.diagnostics)
    : diagnostics;
  if (configuration && 'changes' in plan) return { plan, configuration };
  const refused = new Set(
    (plan as readonly Diagnostic[])
      .filter(({ severity }) => severity === 'error')
      .map(({ address }) => address),
  );
  expect(refused.size).toBeGreaterThan(0);
  const kept = Object.entries(declared).filter(([name]) => !refused.has(workspaceAddress(name)));
  return accepted(Object.fromEntries(kept), service);
}

/** The address with the path, and with those that depend on it. */
function reportedPaths({ address, message }: Diagnostic): string[] {
  const path = message.slice(0, message.indexOf(' of '));
  return [path, ...coupledPaths([path])].map((one) => `${address} ${one}`);
}

async function after(
  configuration: Configuration,
  { client }: Scene,
): Promise<ReadonlyMap<string, Resource>> {
  return (await readConfiguration(configuration, client)).live.state.resources;
}
