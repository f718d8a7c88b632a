import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
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

/**
 * A shell in a folder where `terraform` runs offline, with a provider that reads from the service. The provider lives
 * until the test ends.
 */
export async function terraformIn(
  folder: string,
  service: ProviderService,
): Promise<(script: string) => Promise<TerraformRun>> {
  const provider = await startProvider(service);
  onTestFinished(() => provider.stop());
  const settings = join(folder, 'terraform.rc');
  await writeFile(settings, '');
  const env = {
    ...process.env,
    TF_REATTACH_PROVIDERS: provider.reattach,
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
  };
  return (script) =>
    new Promise((resolve) => {
      const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
      execFile('sh', ['-e', '-c', script], options, (error, stdout, stderr) =>
        resolve({
          code: error ? Number(error.code ?? 1) : 0,
          output: stripVTControlCharacters(`${stdout}${stderr}`),
        }),
      );
    });
}
