import type { Configuration } from '../../desired/configuration.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import type { RunContext } from '../context.ts';
import { bareConfiguration, hasConfiguration, invalidFiles, loadRoots } from '../load.ts';

/** The root files of one organization; without files, settings of the service only. */
export interface AccessFiles {
  readonly organization: string;
  readonly configurations: readonly Configuration[];
}

export interface AccessFilesOptions {
  readonly files: readonly string[];
  readonly organization?: string | undefined;
  /** That of the snapshot. */
  readonly recorded?: string | undefined;
  /** Whether the files are a part of the question. */
  readonly declared?: boolean | undefined;
}

/**
 * The files of a question: those of the organization that is asked for, or of the only one.
 *
 * @throws {RefusedError} if files with errors are needed.
 * @throws {AttuneError} if there is no organization, or there are several.
 */
export async function accessFiles(
  { files, organization: given, recorded, declared = false }: AccessFilesOptions,
  context: RunContext,
): Promise<AccessFiles> {
  const { named } = context;
  const wanted = given ?? recorded;
  const loaded = await loadedFiles(files, context, { isNeeded: declared || files.length > 0 || !wanted });
  const own = loaded.filter(({ desired }) => wanted === undefined || desired.organization === wanted);
  const [organization, other] = new Set(own.map(({ desired }) => desired.organization));
  if (other !== undefined)
    throw new AttuneError('access answers for one organization, but the files declare several', {
      code: 'usage',
      hint: `name the root files of one of them, or add ${named('organization')}`,
    });
  if (organization !== undefined) return { organization, configurations: own };
  if (declared)
    throw new AttuneError(
      wanted === undefined
        ? `${named('declared')} needs root files: there is no attune.yaml`
        : `${named('declared')} needs root files of organization ${wanted}`,
      { code: 'no-organization', hint: `name the root files, or remove ${named('declared')}` },
    );
  if (wanted !== undefined)
    return { organization: wanted, configurations: [bareConfiguration(wanted, context.io.cwd)] };
  throw new AttuneError(
    `access needs an organization: there is no ${named('organization')} and no attune.yaml`,
    {
      code: 'no-organization',
      hint: `add ${named('organization')} and ${named('address')}, or name a root file`,
    },
  );
}

async function loadedFiles(
  files: readonly string[],
  context: RunContext,
  { isNeeded }: { readonly isNeeded: boolean },
): Promise<readonly Configuration[]> {
  const { io, console, options } = context;
  if (!(await hasConfiguration(files, context))) return [];
  const loaded = await loadRoots(files, context);
  if (!hasErrors(loaded.diagnostics)) return loaded.configurations;
  if (isNeeded || !(options.address || io.env.ATTUNE_ADDRESS)) throw invalidFiles(loaded, context);
  console.diagnostics([
    {
      severity: 'warning',
      code: 'files-left-aside',
      message: 'attune.yaml has errors and is ignored: its aliases and declarations are unknown',
      hint: 'run `attune validate`',
    },
  ]);
  return loaded.configurations;
}
