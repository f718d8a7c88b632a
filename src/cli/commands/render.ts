import { relative } from 'node:path';
import { renderConfiguration } from '../../desired/render.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import { slashed } from '../../model/files.ts';
import { matchesAddress } from '../../model/wildcard.ts';
import { unmatchedOnly } from '../../plan/unmatched-only.ts';
import { jsonText } from '../../report/json-text.ts';
import { renderedDocument, renderedYaml } from '../../report/rendered.ts';
import { loadOne } from '../../run/load.ts';
import { shownFrom } from '../../run/report-entry.ts';
import { defineCommand } from '../command.ts';
import { choiceFlag, inGroup, switchFlag } from '../flag.ts';
import { appFlag, onlyFlag, plainFlags, rootFiles } from '../flags.ts';
import type { Session } from '../session.ts';

const formats = ['yaml', 'json'] as const;

export default defineCommand({
  details:
    'Prints one root file without includes and layers: each workspace and each grant has all of its values. The output is a valid configuration with the same plan. Reads only the configuration files: no service and no token are needed. With --only, the output has these resources and no `prune`.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    origins: switchFlag('add the layer, file and line of each value: comments in YAML, objects in JSON'),
    ...onlyFlag,
    ...inGroup('Output options:', {
      format: { ...choiceFlag('format', 'output format', formats), default: 'yaml' as const },
    }),
    ...plainFlags,
  },
  examples: [
    'attune render',
    'attune render --origins --only workspace.network-prod',
    'attune render --format json',
  ],
  learnMore: 'docs/guides/explain.md',
  run: ({ files }, { origins = false, only = [], format }, session) =>
    render(files, { origins, only, format }, session),
});

interface RenderFlags {
  readonly origins: boolean;
  readonly only: readonly string[];
  readonly format: 'yaml' | 'json';
}

/**
 * Prints the effective desired state of a root file. Asks no service.
 *
 * @returns the exit code
 * @throws {DiagnosticsError} if a pattern matches nothing.
 */
async function render(
  files: readonly string[],
  { origins, only, format }: RenderFlags,
  session: Session,
): Promise<number> {
  const { io } = session;
  const configuration = await loadOne(files, session, {
    message: 'render works on one organization, but the files declare several',
    hint: 'render one root file at a time',
  });
  const unmatched = unmatchedOnly(only, [{ configuration, plan: { changes: [], unmanaged: [] } }], 'error');
  if (unmatched.length > 0) throw new DiagnosticsError(unmatched);
  const isPart = only.length > 0;
  const rendered = renderConfiguration(configuration, {
    ...(isPart && { chosen: (address) => only.some((pattern) => matchesAddress(pattern, address)) }),
  });
  const file = slashed(relative(io.cwd, configuration.file));
  const path = shownFrom(io.cwd, configuration.folder);
  if (format === 'yaml') {
    const part = isPart ? [`A part of it: ${only.join(', ')}. prune is left out.`] : [];
    const head = [`Effective configuration of ${file}`, ...part];
    io.stdout.write(renderedYaml(rendered, { origins, path, head }));
  } else {
    const { organization } = configuration.desired;
    io.stdout.write(jsonText(origins ? renderedDocument(organization, rendered) : rendered.document));
  }
  return 0;
}
