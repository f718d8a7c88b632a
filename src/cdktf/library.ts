import { createRequire } from 'node:module';
import type { Construct } from 'constructs';
import { AttuneError } from '../model/attune-error.ts';

/** The used part of `cdktf` and of its successor `cdktn`. */
export interface TerraformLibrary {
  readonly TerraformStack: {
    new (scope: Construct, id: string): Construct;
    isStack(construct: unknown): boolean;
  };
  readonly TerraformElement: new (scope: Construct, id: string) => TerraformElement;
  readonly TerraformResource: new (scope: Construct, id: string, config: ResourceConfig) => TerraformElement;
  readonly TerraformProvider: {
    new (scope: Construct, id: string, config: ProviderConfig): TerraformElement;
    isTerraformProvider(construct: unknown): construct is ProviderConfig;
  };
}

export interface TerraformElement extends Construct {
  addOverride(path: string, value: unknown): void;
  overrideLogicalId(name: string): void;
  toTerraform(): object;
}

interface ResourceConfig {
  readonly terraformResourceType: string;
}

interface ProviderConfig extends ResourceConfig {
  readonly terraformProviderSource: string;
  readonly terraformGeneratorMetadata: {
    readonly providerName: string;
    readonly providerVersion?: string;
    readonly providerVersionConstraint: string;
  };
}

const names = ['cdktf', 'cdktn'] as const;
// Both are CommonJS. `require` loads them lazily and keeps this module synchronous for its own CommonJS users.
const require = createRequire(import.meta.url);

/**
 * The library of the stack around a construct; if it cannot be determined, the installed one.
 *
 * @throws {AttuneError} if neither is installed.
 */
export function libraryOf(scope: Construct): TerraformLibrary {
  const loaded = names.filter(isLoaded).map((name) => require(name) as TerraformLibrary);
  const own = loaded.find(({ TerraformStack }) =>
    scope.node.scopes.some((outer) => outer instanceof TerraformStack),
  );
  return own ?? loaded[0] ?? installed();
}

function isLoaded(name: string): boolean {
  try {
    return require.cache[require.resolve(name)] !== undefined;
  } catch {
    return false;
  }
}

function installed(): TerraformLibrary {
  for (const name of names) {
    try {
      return require(name) as TerraformLibrary;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new AttuneError('attune/cdktf requires cdktf or its successor cdktn, but neither is installed', {
    code: 'no-cdktf',
    hint: 'run `npm install cdktn constructs`',
  });
}
