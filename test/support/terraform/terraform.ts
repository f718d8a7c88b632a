import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ProviderService } from './read-resource.ts';
import { startProvider } from './start-provider.ts';

/** The version of Terraform on this machine; undefined where there is none. */
export const terraformVersion = installedVersion();

function installedVersion(): string | undefined {
  const { status, stdout } = spawnSync('terraform', ['version', '-json'], { encoding: 'utf8' });
  return status === 0 ? String(JSON.parse(stdout).terraform_version) : undefined;
}

export interface TerraformRun {
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

/** Terraform in a folder, offline, with a provider that reads from the service and lives until the test ends. */
export async function terraformIn(
  folder: string,
  service: ProviderService,
): Promise<(...argv: string[]) => Promise<TerraformRun>> {
  const provider = await startProvider(service);
  onTestFinished(() => provider.stop());
  const settings = join(folder, 'terraform.rc');
  await writeFile(settings, '');
  const env = {
    ...process.env,
    TF_REATTACH_PROVIDERS: provider.reattach,
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: '1',
    CHECKPOINT_DISABLE: '1',
  };
  return (...argv) =>
    new Promise((resolve) => {
      execFile(
        'terraform',
        [...argv, '-no-color'],
        { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
      );
    });
}
