import { join } from 'node:path';
import { renamesIn } from '../check/look-alikes.ts';
import { knownFields } from '../desired/explain.ts';
import { diff } from '../diff/diff.ts';
import { endedGrants } from '../hold/at-time.ts';
import { exceptionHolds } from '../hold/exceptions.ts';
import { serviceSource } from '../live/read-live.ts';
import { isUnder } from '../model/attributes.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, DiagnosticsError, hasErrors, problem } from '../model/diagnostic.ts';
import type { AcceptResult } from '../model/results.ts';
import { matchesAddress } from '../model/selector.ts';
import { findAmong, identity, nameOfAddress, resourcesOf, workspaceAddress } from '../model/state.ts';
import { hintAt, nearest } from '../model/text.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { type NamesOf, resolveNames } from '../resolve/look-up-names.ts';
import { accept, addExceptions, exceptionRequest } from '../write/accept.ts';
import { type Connection, openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { sharedFile, writeFiles } from './files/write-file.ts';
import { readTexts, schemaReference } from './import-files.ts';
import { invalidFiles, loadRoots } from './load.ts';

/** What is accepted of the addresses, and where. */
export interface AcceptOptions {
  /** The root file, or a folder with an `attune.yaml`. @default the `attune.yaml` of the working folder */
  readonly file?: string | undefined;
  /** Accepts only these fields, such as `auto-apply`. */
  readonly fields?: readonly string[] | undefined;
  /** Writes an exception until this date, such as `2026-12-15`, instead of the live value. */
  readonly until?: string | undefined;
  /** Why the difference is accepted until then. */
  readonly reason?: string | undefined;
  /** Writes no file. */
  readonly dryRun?: boolean | undefined;
}

export async function acceptDifferences(
  addresses: readonly string[],
  { file, fields, until, reason, dryRun: isDryRun = false }: AcceptOptions,
  context: RunContext,
): Promise<AcceptResult> {
  checkFields(fields);
  const loaded = await loadRoots(file === undefined ? [] : [file], context);
  const [root] = loaded.roots;
  if (!root?.configuration || hasErrors(loaded.diagnostics)) throw invalidFiles(loaded, context);
  const { folder } = root;
  const { organization } = root.configuration.desired;
  const now = context.io.date();
  const request = exceptionRequest({ addresses, fields, until, reason }, root.configuration, now.getTime());
  await using connections = await openConnections([root.configuration], context);
  const connection = connections.at(0);
  context.progress.begin(`${organization}: reading`);
  const reading = await readAll(root.configuration, connection);
  context.progress.end();

  checkMatches(addresses, reading);
  const texts = await readTexts(folder, root.files);
  const { chosen, ended } = chosenFrom(reading, addresses, fields, now.getTime());
  const schema = await schemaReference(folder);
  const own = { root: root.files[0] ?? '', reader: connection.client, schema: schema.path };
  const input = { ...reading, ...own, texts, chosen };
  const accepted = request ? await addExceptions(input, request) : await accept(input);
  const { texts: after, ...rest } = accepted;
  const files = [...after].flatMap(([name, text]) => {
    const before = texts.get(name);
    return before === text ? [] : [{ file: name, before, after: text }];
  });
  if (!isDryRun) {
    const isNew = files.some(({ before }) => before === undefined);
    const written = new Map(files.map((edited) => [join(folder, edited.file), edited.after]));
    for (const [path, text] of isNew ? schema.missing : []) written.set(path, text);
    await writeFiles(written, sharedFile);
  }
  // Of a rename, only the new name is accepted.
  const half = renamesIn(reading).flatMap(({ address = '', hint, ...one }) => {
    const renamed = rest.declared.find((name) => hint?.endsWith(` ${nameOfAddress(name)}`));
    if (renamed === undefined || chosen(address, '')) return [];
    const message = `${address} is not live, and an apply creates it, empty: it looks like the former name of ${renamed}`;
    return { ...one, address, message, hint: `accept ${address}, too` };
  });
  const diagnostics = [...ended, ...half, ...rest.diagnostics];
  return { organization, address: connection.address, folder, ...rest, files, isDryRun, diagnostics };
}

function checkFields(fields: readonly string[] = []): void {
  for (const name of fields) {
    if (knownFields.some((path) => isUnder(path, name))) continue;
    const hint = hintAt(name, knownFields, 'give a field as `attune drift` prints it');
    throw new AttuneError(`unknown field ${JSON.stringify(name)}`, { code: 'unknown-name', hint });
  }
}

/** Known differences are not accepted unless their field is named, and access that has ended is not at all. */
function chosenFrom(
  { configuration, live, difference }: Reading,
  addresses: readonly string[],
  fields: readonly string[] | undefined,
  now: number,
) {
  const { exceptions = [] } = configuration.holds ?? {};
  const input = { configuration, live, found: difference, now, chosen: () => true };
  const { keeps } = exceptionHolds(fields ? [] : exceptions, input);
  const known = new Set(
    keeps.flatMap(({ address, fields = [] }) => [...fields].map((path) => `${address} ${path}`)),
  );
  const ended = new Map(endedGrants(configuration, now).map((grant) => [grant.address, grant]));
  const isAsked = (address: string, path: string) =>
    addresses.some((pattern) => matchesAddress(pattern, address)) &&
    (fields === undefined || fields.some((name) => isUnder(path, name)));
  const isLive = findAmong(resourcesOf(live.state.resources.values(), 'team-access'));
  const left = [...ended.values()].filter(
    (grant) => isAsked(grant.address, 'access') && isLive(identity(grant)),
  );
  return {
    chosen: (address: string, path: string) =>
      isAsked(address, path) && !ended.has(address) && !known.has(`${address} ${path}`),
    ended: left.map(({ address, declared }) =>
      problem('not-acceptable', `${address} is not accepted: it ended on ${declared?.until?.written}`, {
        at: { address },
        hint: 'run `attune apply` to revoke it; to keep it, write a later date under `until`',
      }),
    ),
  };
}

type Reading = Awaited<ReturnType<typeof readAll>>;

async function readAll(configuration: Configuration, { client }: Connection) {
  const source = serviceSource(client);
  const named = await resolveNames(configuration, { source, purpose: 'drift' });
  const live = await source.read(liveQueryOf(named, { purpose: 'accept' }));
  const { organization } = configuration.desired;
  const difference = diff(named, live, { purpose: 'drift' });
  const namesOf: NamesOf = (kind) => source.names(organization, kind);
  return { configuration: named, live, difference, namesOf };
}

function checkMatches(addresses: readonly string[], { configuration, difference }: Reading): void {
  if (hasErrors(difference.diagnostics))
    throw new DiagnosticsError([...configuration.diagnostics, ...difference.diagnostics]);
  const known = new Set([
    ...configuration.desired.resources.keys(),
    ...difference.changes.map(({ address }) => address),
    ...difference.unmanaged,
  ]);
  for (const pattern of addresses) {
    if (pattern === '*' || [...known].some((address) => matchesAddress(pattern, address))) continue;
    const named = workspaceAddress(pattern);
    const near = known.has(named) ? named : nearest(pattern, known);
    const hint = near === undefined ? 'run `attune drift` to list addresses' : `did you mean ${near}?`;
    const message = `unknown address ${JSON.stringify(pattern)}: it is neither declared, nor an undeclared workspace in scope, nor an undeclared grant`;
    throw new AttuneError(message, { code: 'unknown-name', hint });
  }
}
