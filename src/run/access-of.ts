import { type Answered, type Asked, stateAnswer } from '../access/state-answer.ts';
import { teamAnswer } from '../access/team-answer.ts';
import { joinRoots } from '../desired/join-roots.ts';
import { withEndedAccess } from '../hold/at-time.ts';
import { remember, serviceSource } from '../live/read-live.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, usageError } from '../model/diagnostic.ts';
import type { AccessQuestion, AccessResult } from '../model/results.ts';
import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { chosenConfiguration, loadOptional } from './load.ts';

/** What a question is about. */
export interface AccessRequest {
  readonly question: AccessQuestion;
  readonly files: readonly string[];
  readonly organization?: string | undefined;
  /** The state after the plan of the files instead of the live one. */
  readonly declared?: boolean | undefined;
}

export async function answerAccess(request: AccessRequest, context: RunContext): Promise<AccessResult> {
  const { question, declared = false } = request;
  checkQuestion(question);
  const loaded = await accessFiles(request, context);
  const { organization } = loaded[0].desired;
  const now = context.io.date().getTime();
  const configurations = loaded.map((one) => (declared ? withEndedAccess(one, now) : one));
  await using connections = await openConnections(configurations, context);
  const { client, address } = connections.at(0);
  const files = joinRoots(configurations as [Configuration, ...Configuration[]]);
  const reader = { client, source: serviceSource(client), dialect: files.service.dialect };
  context.progress.begin(`${organization}: reading`);
  const { cwd } = context.io;
  const { rows, diagnostics } = await answered({ question, declared, organization, files, reader, cwd });
  context.progress.end();
  return { organization, address, state: declared ? 'declared' : 'live', question, rows, diagnostics };
}

/** Who can read a state are the workspaces that share it, and the teams whose access to its workspace includes the state. */
async function answered(given: Asked): Promise<Answered> {
  const { stateOf, stateFor } = given.question;
  if (stateOf === undefined && stateFor === undefined) return teamAnswer(given);
  // A second read of the state needs the same workspaces and lists.
  const client = remember(given.reader.client, (path) => path.includes('/workspaces'));
  const asked = { ...given, reader: { ...given.reader, client } };
  const states = await stateAnswer(asked);
  if (stateOf === undefined) return states;
  const teams = await teamAnswer({ ...asked, question: { workspace: stateOf } });
  return {
    rows: [...states.rows, ...teams.rows.filter((row) => 'team' in row && row.state !== 'none')],
    diagnostics: [...states.diagnostics, ...teams.diagnostics],
  };
}

/** The root files of the organization that is asked for, or of the only one; without files, settings of the service only. */
async function accessFiles(
  { files, organization: wanted, declared = false }: AccessRequest,
  context: RunContext,
): Promise<readonly [Configuration, ...Configuration[]]> {
  const loaded = await loadOptional(files, context);
  const own = loaded.filter(({ desired }) => wanted === undefined || desired.organization === wanted);
  const [first, ...others] = own;
  if (first && others.some(({ desired }) => desired.organization !== first.desired.organization))
    throw usageError(
      'access answers for one organization, but the files declare several',
      'name the root files of one of them, or add --organization',
    );
  if (first) return [first, ...others];
  if (declared)
    throw new AttuneError(
      `--declared needs root files${wanted === undefined ? '' : ` of organization ${wanted}`}`,
      { code: 'no-organization', hint: 'name the root files, or remove --declared' },
    );
  return [chosenConfiguration(wanted, loaded, context, 'access')];
}

const parts = ['team', 'project', 'workspace', 'stateOf', 'stateFor'] as const;

function checkQuestion(question: AccessQuestion): void {
  const given = parts.filter((key) => question[key] !== undefined);
  const [first, second] = given.slice(-2);
  const isOfTeam = given.length === 2 && first === 'team' && (second === 'project' || second === 'workspace');
  if (first === undefined || second === undefined || isOfTeam) return;
  const flag = (key: string) => `--${key.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`;
  throw usageError(
    `${flag(first)} cannot be used with ${flag(second)}`,
    'ask one question at a time; --team can be added to --project and --workspace',
  );
}
