import { resolve } from 'node:path';

/** Addresses that the root file of the working folder declares. */
export interface DeclaredAddresses {
  readonly resources: readonly string[];
  /** The defaults, templates and roles. */
  readonly layers: readonly string[];
}

/** Reads the files only. Every failure returns no addresses, because completion cannot show errors. */
export async function declaredAddresses(cwd: string): Promise<DeclaredAddresses> {
  // Most completions need no configuration, and must be fast.
  const { loadConfig } = await import('../../desired/load-config.ts');
  const loaded = await loadConfig(resolve(cwd, 'attune.yaml'), { cwd }).catch(() => undefined);
  const { desired, layered } = loaded?.configurations[0] ?? {};
  const resources = [...(desired?.resources.keys() ?? [])].sort();
  return {
    resources,
    layers: [...(layered?.keys() ?? [])].filter((address) => !desired?.resources.has(address)).sort(),
  };
}
