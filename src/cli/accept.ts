import { join } from 'node:path';
import { type Accepted, accept } from '../accept/accept.ts';
import { type AcceptResult, acceptDocument, acceptSummary, acceptText } from '../accept/accept-document.ts';
import { unifiedDiff } from '../accept/unified-diff.ts';
import type { Configuration } from '../desired/configuration.ts';
import { knownFields } from '../desired/explain.ts';
import { diff } from '../diff/diff.ts';
import { checkResult } from '../import/check-result.ts';
import { loadTexts } from '../import/check-unchanged.ts';
import { extend } from '../import/extend.ts';
import { readOrganization } from '../import/read-organization.ts';
import { type LiveSource, readingNamesOnce, serviceSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { readRegularFile } from '../model/files.ts';
import { nearest } from '../model/text.ts';
import { matchesAddress } from '../model/wildcard.ts';
import { liveQueryOf } from '../plan/live-query-of.ts';
import { lookUpNames, type NamesOf } from '../plan/look-up-names.ts';
import { withNames } from '../plan/make-plan.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { jsonText } from '../report/json-text.ts';
import { type Connection, openConnections } from '../run/connect.ts';
import { sharedFile, writeFiles } from '../run/files/write-file.ts';
import { invalidFiles, loadRoots } from '../run/load.ts';
import { shownFrom } from '../run/report-entry.ts';
import type { Session } from './session.ts';

export interface AcceptOptions {
  readonly all?: boolean;
  readonly field?: readonly string[];
  readonly dryRun?: boolean;
  readonly config?: string;
}

/**
 * Writes live values into the files that declare others.
 *
 * @returns the exit code: 1 if a difference cannot be accepted; the others are written all the same.
 */
export async function acceptLive(
  addresses: readonly string[],
  options: AcceptOptions,
  session: Session,
): Promise<number> {
  checkOptions(addresses, options, session);
  const { io, console, progress } = session;
  const loaded = await loadRoots(options.config === undefined ? [] : [options.config], session);
  const [root] = loaded.roots;
  if (!root?.configuration || hasErrors(loaded.diagnostics)) throw invalidFiles(loaded, session);
  const { folder } = root;
  await using connections = await openConnections([root.configuration], session);
  const connection = connections.at(0);
  progress.begin(`${root.configuration.desired.organization}: reading`);
  const reading = await readAll(root.configuration, connection);
  progress.end();

  const chosen = choice(addresses, options);
  const texts = await readTexts(folder, root.files);
  const [rootFile = ''] = root.files;
  checkMatches(addresses, reading);
  const first = await accept({ ...reading, chosen, texts, root: rootFile });
  const declared = await declareLive(first, { ...reading, chosen, connection, root: rootFile });
  const accepted = await acceptBeside(first, declared, { ...reading, chosen, root: rootFile });
  const files = [...accepted.texts.keys()].filter((file) => accepted.texts.get(file) !== texts.get(file));
  const { configuration } = accepted;
  const checked =
    files.length === 0
      ? []
      : await checkResult({
          former: reading.configuration,
          configuration,
          live: declared.live,
          source: reading.source,
          address: connection.address,
        });
  const result: AcceptResult = {
    organization: root.configuration.desired.organization,
    address: connection.address,
    accepted,
    former: reading.configuration,
    imported: declared.imported,
    files,
    isDryRun: options.dryRun === true,
    diagnostics: [...accepted.unacceptable.map(notAccepted), ...declared.diagnostics, ...checked],
  };
  if (!options.dryRun) {
    await writeFiles(
      new Map(files.map((file) => [join(folder, file), accepted.texts.get(file) ?? ''])),
      sharedFile,
    );
  }
  if (session.flags.format === 'json') io.stdout.write(jsonText(acceptDocument(result)));
  else {
    const path = shownFrom(io.cwd, folder);
    if (options.dryRun && files.length > 0) {
      const shown = unifiedDiff(printable(texts), printable(accepted.texts), { paint: console.paint, path });
      console.result(shown);
      if (shown !== unifiedDiff(texts, accepted.texts, { paint: console.paint, path }))
        console.inform(
          'The diff cannot be applied: it shows control characters as escapes. Run accept without --dry-run.',
        );
      console.inform(acceptSummary(result));
    } else console.result(acceptText(result, path));
    console.diagnostics(result.diagnostics, path);
  }
  return hasErrors(result.diagnostics) ? 1 : 0;
}

/** Texts as a terminal can show them. Others than those of control characters and commands of job logs are unchanged. */
function printable(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const line = (text: string) => text.replaceAll(/[^\t\r\n]+/g, escapeControls);
  return new Map([...texts].map(([file, text]) => [file, text.split('\n').map(line).join('\n')]));
}

function checkOptions(
  addresses: readonly string[],
  { all, field = [] }: AcceptOptions,
  { options: { app } }: Session,
): void {
  if (app !== undefined) {
    throw new AttuneError(
      'accept edits YAML files: what a program of attune/constructs declares cannot be edited',
      {
        code: 'usage',
        hint: 'change the program, or run accept on the root file without --app',
      },
    );
  }
  if (all ? addresses.length > 0 : addresses.length === 0) {
    throw new AttuneError('accept requires either addresses or --all', {
      code: 'usage',
      hint: 'run `attune drift` to list the addresses, then give one or more of them, or --all',
    });
  }
  for (const name of field) {
    if (knownFields.some((path) => path === name || path.startsWith(`${name}.`))) continue;
    const near = nearest(name, knownFields);
    throw new AttuneError(`unknown field ${JSON.stringify(name)}`, {
      code: 'unknown-field',
      hint: near === undefined ? 'give a field as `attune drift` prints it' : `did you mean ${near}?`,
    });
  }
}

function choice(addresses: readonly string[], { all, field }: AcceptOptions) {
  const isAddress = (address: string) =>
    all === true || addresses.some((pattern) => matchesAddress(pattern, address));
  const isField = (path: string) =>
    field === undefined || field.some((name) => path === name || path.startsWith(`${name}.`));
  return (address: string, path: string) => isAddress(address) && isField(path);
}

interface Reading {
  readonly source: LiveSource;
  readonly configuration: Configuration;
  readonly live: Live;
  readonly namesOf: NamesOf;
}

/** Reads what a drift report reads. */
async function readAll(configuration: Configuration, { client, dialect }: Connection): Promise<Reading> {
  const source = readingNamesOnce(serviceSource(client));
  const named = await withNames(configuration, { source, reportScope: true });
  const query = liveQueryOf(named, { reportScope: true });
  const live = await source.read(dialect ? { ...query, dialect } : query);
  const { organization } = configuration.desired;
  return { source, configuration: named, live, namesOf: (kind) => source.names(organization, kind) };
}

/** @throws {AttuneError} if an address matches nothing that is declared or live. */
function checkMatches(addresses: readonly string[], { configuration, live }: Reading): void {
  const difference = diff(configuration, live, { reportOnly: true });
  if (hasErrors(difference.diagnostics)) {
    throw new DiagnosticsError([...configuration.diagnostics, ...difference.diagnostics]);
  }
  const known = new Set([
    ...configuration.desired.resources.keys(),
    ...difference.changes.map(({ address }) => address),
    ...difference.unmanaged,
  ]);
  for (const pattern of addresses) {
    if ([...known].some((address) => matchesAddress(pattern, address))) continue;
    const near = known.has(`workspace.${pattern}`) ? `workspace.${pattern}` : nearest(pattern, known);
    throw new AttuneError(
      `unknown address ${JSON.stringify(pattern)}: it is neither declared nor an undeclared workspace in scope`,
      {
        code: 'unknown-address',
        hint: near === undefined ? 'run `attune drift` to list addresses' : `did you mean ${near}?`,
      },
    );
  }
}

async function readTexts(folder: string, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(
    files.map(async (file) => [file, await readRegularFile(join(folder, file))] as const),
  );
  return new Map(texts);
}

interface DeclareContext extends Reading {
  readonly chosen: (address: string, path: string) => boolean;
  readonly connection: Connection;
  readonly root: string;
}

interface DeclaredLive {
  readonly texts: ReadonlyMap<string, string>;
  /** What the texts declare, names resolved. */
  readonly configuration: Configuration;
  /** With all that was read of the workspaces that are declared now. */
  readonly live: Live;
  readonly imported: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Declares the chosen live workspaces in scope that no file declares, as `import --update` does. */
async function declareLive(
  { texts, configuration, unacceptable }: Accepted,
  { live, namesOf, chosen, connection, root }: DeclareContext,
): Promise<DeclaredLive> {
  const { changes, unmanaged } = diff(configuration, live, { reportOnly: true });
  const pruned = changes.filter(
    ({ kind, action, location }) => kind === 'workspace' && action === 'delete' && location === undefined,
  );
  const renamed = new Set(unacceptable.flatMap(({ livesAs }) => livesAs ?? []));
  const addresses = [...unmanaged, ...pruned.map(({ address }) => address)].filter(
    (address) => chosen(address, '') && !renamed.has(address),
  );
  if (addresses.length === 0) return { texts, configuration, live, imported: [], diagnostics: [] };
  const selection = { only: addresses };
  const reading = await readOrganization(connection.client, {
    organization: configuration.desired.organization,
    selection,
    namesOf,
    dialect: live.dialect,
  });
  const { files, diagnostics } = await extend({
    reading,
    selection,
    detail: 'standard',
    root,
    texts,
    configuration,
    namesOf,
  });
  const left = new Set(
    diagnostics.flatMap(({ code, address }) => (code === 'left-out' ? (address ?? []) : [])),
  );
  const edited = new Map([...texts, ...files.map(({ name, text }) => [name, text] as const)]);
  const { configurations } = await loadTexts(edited, root);
  const resources = new Map([...live.state.resources, ...reading.live.state.resources]);
  return {
    texts: edited,
    configuration: await lookUpNames(configurations[0] ?? configuration, namesOf),
    live: { ...live, state: { ...live.state, resources } },
    imported: addresses.filter((address) => !left.has(address)),
    diagnostics,
  };
}

/** Selectors match workspaces that are declared now and were to be deleted before, so lists can differ that did not. */
async function acceptBeside(
  first: Accepted,
  { texts, configuration, live, imported }: DeclaredLive,
  context: Reading & Pick<DeclareContext, 'chosen' | 'root'>,
): Promise<Accepted> {
  if (imported.length === 0) return { ...first, texts, configuration };
  const refused = new Set(first.unacceptable.map(({ address }) => address));
  const chosen: DeclareContext['chosen'] = (address, path) =>
    !refused.has(address) && context.chosen(address, path);
  const next = await accept({ ...context, configuration, live, texts, chosen });
  return {
    ...next,
    acceptances: [...first.acceptances, ...next.acceptances],
    unacceptable: [...first.unacceptable, ...next.unacceptable],
  };
}

function notAccepted({ address, reason, hint }: Accepted['unacceptable'][number]): Diagnostic {
  return {
    severity: 'error',
    code: 'not-acceptable',
    message: `${address} is not accepted: ${reason}`,
    address,
    hint,
  };
}
