import { explain } from '../desired/explain.ts';
import type { Configuration } from '../model/configuration.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import { matchesAddress } from '../model/selector.ts';
import { refuseUnmatched } from '../resolve/plan-request.ts';
import { renderConfiguration } from '../write/render.ts';
import type { RunContext } from './context.ts';
import { loadOne } from './load.ts';
import { rootName, shownFrom } from './report-entry.ts';

/*
 * What the commands `explain` and `render` do, without their output. They read the files only.
 */

export async function explainDeclared(
  address: string,
  { field, file }: { readonly field: string | undefined; readonly file: string | undefined },
  context: RunContext,
) {
  const files = file === undefined ? [] : [file];
  const configuration = await loadOne(files, context, 'explain', 'name one root file with --config');
  return {
    organization: configuration.desired.organization,
    path: shownFrom(context.io.cwd, configuration.folder),
    explanation: explain(configuration, address, field),
  };
}

export async function renderDeclared(files: readonly string[], context: RunContext) {
  const configuration = await loadOne(files, context, 'render');
  const chosen = selectDeclared(configuration, context);
  return {
    rendered: renderConfiguration(configuration, context.options.only?.length ? { chosen } : {}),
    file: rootName(configuration, context),
  };
}

export function selectDeclared(
  configuration: Configuration,
  { options: { only = [] } }: Pick<RunContext, 'options'>,
): (address: string) => boolean {
  const patterns = addressPatterns(only, configuration);
  refuseUnmatched(only, [{ configuration, plan: { changes: [], unmanaged: [] } }]);
  return (address) => only.length === 0 || patterns.some((pattern) => matchesAddress(pattern, address));
}
