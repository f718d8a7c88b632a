import { counted } from '../../model/text.ts';
import { jsonText } from '../../report/escape-controls.ts';
import { writablePath, writeFile } from '../../run/files/write-file.ts';
import { recordLive } from '../../run/record-live.ts';
import { defineCommand, rootFiles } from '../command.ts';
import { appFlag, connectionFlags, documentFlags, switchFlag, textFlag } from '../flags.ts';

export default defineCommand({
  details:
    'Reads everything that a plan of the configuration needs and writes it to a file. A job without a token can then run `attune plan --snapshot FILE` or `attune drift --snapshot FILE`. With a scope in the files, the snapshot contains the workspaces of the scope and those that the files name. A plan that needs other workspaces is refused.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...documentFlags,
    ...connectionFlags,
    out: textFlag('file', 'output file (default: stdout)'),
    everything: switchFlag('also record what is outside the scope of the files'),
  },
  examples: ['attune snapshot --out live.json', 'attune plan --snapshot live.json'],
  learnMore: 'docs/guides/ci.md',
  run: async ({ files }, { out, everything }, session) => {
    const path = out === undefined ? undefined : await writablePath('--out', out, session.io.cwd);
    const snapshot = await recordLive(files, { everything }, session);
    const text = jsonText(snapshot);
    if (path === undefined) session.console.result(text);
    else await writeFile(path, text);
    const { organization, resources } = snapshot;
    session.console.inform(`${organization}: ${counted(resources.length, 'live resource')} recorded.`);
    return 0;
  },
});
