import { createRequire } from 'node:module';
import { Construct } from 'constructs';
import type { Live } from '../live/read-live.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, type Diagnostic } from '../model/diagnostic.ts';
import { stackParts } from './terraform-document.ts';
import { terraformExport } from './terraform-export.ts';

/** A configuration and its live state. */
export interface WorkspaceConfigurationProps {
  /** The result of `loadConfig`, or of the synthesis of `attune/constructs`. */
  readonly configuration: Configuration;
  /** The result of `readLive`. If absent, all resources are to be created and none is imported. */
  readonly live?: Live;
}

/**
 * Adds a configuration to a `cdktf` or `cdktn` stack, as resources of Terraform's `tfe` provider, with `import` blocks
 * for live resources. A stack can hold one configuration, because its resources have the names that
 * `attune export terraform` gives them. An existing `tfe` provider of the stack is used.
 *
 * @throws {@link AttuneError} outside of a stack, in a stack that has a configuration already, or if neither library is
 * installed.
 * @throws {@link DiagnosticsError} if the comparison with the live state has errors.
 * @example
 * ```ts
 * const { unsupported } = new WorkspaceConfiguration(stack, 'workspaces', { configuration, live });
 * console.log(unsupported.map(({ code }) => code)); // [ 'not-in-terraform' ]
 * ```
 */
export class WorkspaceConfiguration extends Construct {
  /** Declared settings that Terraform's provider does not support, or supports with restrictions. */
  readonly unsupported: readonly Diagnostic[];

  constructor(scope: Construct, id: string, { configuration, live }: WorkspaceConfigurationProps) {
    super(scope, id);
    const library = libraryOf(this);
    const stack = stackOf(this, library);
    const exported = terraformExport(configuration, live && { live });
    this.unsupported = exported.unsupported;
    const { provider, blocks, elements } = stackParts(exported);
    addProvider(this, stack, library, provider);
    addBlocks(this, library, blocks);
    for (const { type, name, address, body } of elements) {
      const element = new library.TerraformResource(this, address, { terraformResourceType: type });
      element.overrideLogicalId(name);
      for (const [argument, value] of Object.entries(body)) element.addOverride(argument, value);
    }
  }
}

function stackOf(scope: Construct, library: TerraformLibrary): Construct {
  const stack = scope.node.scopes.find((outer) => library.TerraformStack.isStack(outer));
  if (stack === undefined) {
    throw new AttuneError(`${scope.node.path}: a WorkspaceConfiguration must be in a TerraformStack`, {
      code: 'wrong-scope',
      hint: 'use a stack, or a construct inside a stack, as its scope',
    });
  }
  const other = stack.node
    .findAll()
    .find((construct) => construct instanceof WorkspaceConfiguration && construct !== scope);
  if (other) {
    throw new AttuneError(`${scope.node.path}: the stack has a configuration already, ${other.node.path}`, {
      code: 'wrong-scope',
      hint: 'use a separate stack for each organization: their resources may have the same names',
    });
  }
  return stack;
}

type StackParts = ReturnType<typeof stackParts>;

function addProvider(
  scope: Construct,
  stack: Construct,
  library: TerraformLibrary,
  provider: StackParts['provider'],
): void {
  const isThere = stack.node
    .findAll()
    .some(
      (construct) =>
        library.TerraformProvider.isTerraformProvider(construct) &&
        construct.terraformResourceType === provider.name,
    );
  if (isThere) return;
  new library.TerraformProvider(scope, 'provider', {
    terraformResourceType: provider.name,
    terraformProviderSource: provider.source,
    terraformGeneratorMetadata: { providerName: provider.name, providerVersionConstraint: provider.version },
  });
}

/** With `importFrom` of a resource, every synthesis runs Terraform once per resource; a separate block avoids that. */
function addBlocks(scope: Construct, library: TerraformLibrary, blocks: StackParts['blocks']): void {
  class Blocks extends library.TerraformElement {
    override toTerraform(): object {
      return blocks;
    }
  }
  new Blocks(scope, 'import');
}

interface TerraformLibrary {
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

interface TerraformElement extends Construct {
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
    readonly providerVersionConstraint: string;
  };
}

const names = ['cdktf', 'cdktn'] as const;
// Both are CommonJS. `require` loads them lazily and keeps this module synchronous for its own CommonJS users.
const require = createRequire(import.meta.url);

export function libraryOf(scope: Construct): TerraformLibrary {
  const found = names.flatMap((name) => installed(name) ?? []);
  const own = found.find(({ TerraformStack }) =>
    scope.node.scopes.some((outer) => outer instanceof TerraformStack),
  );
  const library = own ?? found[0];
  if (library) return library;
  throw new AttuneError('attune/cdktf requires cdktf or its successor cdktn, but neither is installed', {
    code: 'no-cdktf',
    hint: 'run `npm install cdktn constructs`',
  });
}

function installed(name: string): TerraformLibrary | undefined {
  try {
    return require(name) as TerraformLibrary;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}
