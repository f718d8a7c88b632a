import type { RequestEntry } from '../../../src/emulator/index.ts';

/** One change of a report, as `--format json` prints it. */
export interface ReportedChange {
  readonly kind: string;
  readonly name: string;
  readonly address: string;
  readonly action: string;
  readonly id?: string;
  readonly result: string;
  readonly callsDone: number;
  readonly error?: { readonly message: string; readonly code?: string; readonly status?: number };
}

interface Printed {
  readonly format: string;
  readonly diagnostics?: readonly { readonly code: string; readonly severity: string }[];
  readonly changes?: readonly ReportedChange[];
  readonly plans?: readonly Printed[];
  readonly failed?: readonly Printed[];
}

function documentsIn(stdout: string): readonly Printed[] {
  if (stdout === '') return [];
  const all = ({ plans = [], failed = [], ...document }: Printed): readonly Printed[] => [
    document,
    ...[...plans, ...failed].flatMap(all),
  ];
  return all(JSON.parse(stdout));
}

export function changesIn(stdout: string): readonly ReportedChange[] {
  return documentsIn(stdout).flatMap(({ changes = [] }) => changes);
}

/** The changes and diagnostics of a report, one a line. */
export function inShort(stdout: string): string {
  const lines = documentsIn(stdout).flatMap(({ changes = [], diagnostics = [] }) => [
    ...changes.map(({ address, action, result, error }) =>
      JSON.stringify({ address, action, result, error }),
    ),
    ...diagnostics.map((diagnostic) => JSON.stringify(diagnostic)),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

/** The codes of all diagnostics of a run. */
export function codesIn(ran: { readonly stdout: string; readonly stderr: string }): ReadonlySet<string> {
  const printed = [...ran.stderr.matchAll(/^(?:error|warning|note)\[([\w-]+)\]/gm)].map(
    ([, code = '']) => code,
  );
  const listed = documentsIn(ran.stdout).flatMap(({ diagnostics = [] }) =>
    diagnostics.map(({ code }) => code),
  );
  return new Set([...printed, ...listed]);
}

export interface Sent {
  readonly changes: readonly ReportedChange[];
  readonly requests: readonly RequestEntry[];
  /** The ids of workspaces by name, before and after the run. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether an answer can be lost although the service logs its status. */
  readonly isHalfRead: boolean;
}

/** What a report claims beside or against the log of the service: `[]` if each change is reported as it was written. */
export function falseClaims({ changes, requests, ids, isHalfRead }: Sent): readonly string[] {
  const writes = requests.filter(({ method }) => method !== 'GET');
  const found: string[] = [];
  let claimed = 0;
  for (const change of changes) {
    const { address, result, callsDone, error } = change;
    claimed += callsDone;
    const own = writes.filter((entry) => isOf(entry, change, ids));
    const taken = own.filter(({ status }) => status >= 200 && status < 300).length;
    const lost = own.some(({ status }) => status === 0) || isHalfRead;
    const reported = `${address}: ${result}, ${callsDone} calls, ${JSON.stringify(error)}; the service took ${taken} of ${own.length}`;
    const isCreatedGrant = change.kind === 'team-access' && change.action === 'create';
    if (!lost && !isCreatedGrant && callsDone !== taken) found.push(`counts: ${reported}`);
    if (error?.code === 'unknown-effect' && !lost) found.push(`nothing was lost: ${reported}`);
    const isBegun = callsDone > 0;
    if (result === 'partial' ? !isBegun : isBegun && result !== 'done')
      found.push(`wrong result: ${reported}`);
    if (result !== 'done' && !error?.message) found.push(`no reason: ${reported}`);
  }
  const isLost = isHalfRead || writes.some(({ status }) => status === 0);
  const taken = writes.filter(({ status }) => status >= 200 && status < 300).length;
  if (!isLost && claimed !== taken) found.push(`${claimed} calls reported, ${taken} taken`);
  return found;
}

function isOf(
  { path, body }: RequestEntry,
  change: ReportedChange,
  ids: ReadonlyMap<string, string>,
): boolean {
  const { kind, name, action } = change;
  const id = change.id ?? (kind === 'workspace' ? ids.get(name) : undefined);
  if (id !== undefined && path.split('/').some((part) => part.split('?')[0] === id)) return true;
  if (action !== 'create') return false;
  const sent = body as { data?: { attributes?: { name?: string } } } | undefined;
  const created = sent?.data?.attributes?.name;
  if (kind === 'workspace') return path === '/organizations/acme/workspaces' && created === name;
  return kind === 'project' && path === '/organizations/acme/projects';
}
