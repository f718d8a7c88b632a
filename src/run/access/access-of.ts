import type { Configuration } from '../../desired/configuration.ts';
import type { AccessQuestion, AccessResult } from '../../model/access-result.ts';
import { AttuneError, usageError } from '../../model/attune-error.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { endingGrants, withEndedAccess } from '../../plan/holds/access-ends.ts';
import type { RunContext } from '../context.ts';
import { readSnapshotFile } from '../files/input-files.ts';
import { bareConfiguration, loadOptional } from '../load.ts';
import type { Asked } from './after-plan.ts';
import { isDecidedByFiles, rowsOfFiles } from './declared-alone.ts';
import { labelsOf } from './labels.ts';
import { type AccessReader, isUnconnected, snapshotReader, withService } from './open-reader.ts';
import { stateAnswer } from './state-answer.ts';
import { teamAnswer } from './team-answer.ts';

/** What a question is about, and where it is answered. */
export interface AccessRequest {
  readonly question: AccessQuestion;
  readonly files: readonly string[];
  readonly organization?: string | undefined;
  /** A file that `attune snapshot` wrote. */
  readonly snapshot?: string | undefined;
  /** The state after the plan of the files instead of the live one. */
  readonly declared?: boolean | undefined;
}

/**
 * Answers a question about access, and reads only what the question needs.
 *
 * @throws {AttuneError} if the team, the project or the workspace is unknown, or there is no organization.
 */
export async function answerAccess(request: AccessRequest, context: RunContext): Promise<AccessResult> {
  const { question, declared = false, snapshot: file } = request;
  checkQuestion(question, context);
  const snapshot = file === undefined ? undefined : await readSnapshotFile(file, context.io.cwd);
  const files = await accessFiles(request, snapshot?.organization, context);
  const { organization } = files;
  const now = context.io.date().getTime();
  const ended = (configuration: Configuration) => withEndedAccess(configuration, now);
  const configurations = declared ? files.configurations.map(ended) : files.configurations;
  const answer = { organization, state: declared ? 'declared' : 'live', question } as const;
  const alone = (diagnostics: readonly Diagnostic[]): AccessResult => {
    const labels = labelsOf(configurations, {}, context.io.cwd);
    return { ...answer, rows: rowsOfFiles(question, configurations, labels), diagnostics };
  };
  if (declared && isDecidedByFiles(question, configurations)) return alone([]);
  const read = async (reader: AccessReader): Promise<AccessResult> => {
    context.progress.begin(`${organization}: reading`);
    const asked = { question, declared, organization, configurations, reader, context };
    const isOfState = question.stateOf !== undefined || question.stateFor !== undefined;
    const answered = await (isOfState ? stateAnswer(asked) : teamAnswer(asked));
    context.progress.end();
    // No date decides anything about the live state.
    const isDated = declared && configurations.some((one) => endingGrants(one).length > 0);
    const warning = isDated ? reader.clockWarning() : undefined;
    const diagnostics = [...answered.diagnostics, ...(warning ? [warning] : [])];
    return { ...answer, address: reader.address, ...answered, diagnostics };
  };
  if (snapshot) return await read(snapshotReader(snapshot));
  try {
    return await withService(configurations, context, read);
  } catch (error) {
    if (!declared || !isUnconnected(error)) throw error;
    const why = (error as AttuneError).message;
    return alone([
      {
        severity: 'note',
        code: 'files-only',
        message: `only the files were read, so what they do not declare is unknown: ${why}`,
        hint: 'set the address and a token to read the rest',
      },
    ]);
  }
}

/**
 * The root files of the organization that is asked for, or of the only one; without files, settings of the service only.
 *
 * @throws {RefusedError} if files with errors are needed.
 * @throws {AttuneError} if there is no organization, or there are several.
 */
async function accessFiles(
  { files, organization: given, declared = false }: AccessRequest,
  recorded: string | undefined,
  context: RunContext,
): Promise<Pick<Asked, 'organization' | 'configurations'>> {
  const { named } = context;
  const wanted = given ?? recorded;
  const loaded = await loadOptional(files, context, { isNeeded: declared || files.length > 0 || !wanted });
  const own = loaded.filter(({ desired }) => wanted === undefined || desired.organization === wanted);
  const [organization, other] = new Set(own.map(({ desired }) => desired.organization));
  if (other !== undefined)
    throw usageError(
      'access answers for one organization, but the files declare several',
      `name the root files of one of them, or add ${named('organization')}`,
    );
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

const subjects = {
  project: 'project',
  workspace: 'workspace',
  stateOf: 'state-of',
  stateFor: 'state-for',
} as const;

function checkQuestion({ team, ...places }: AccessQuestion, { named }: Pick<RunContext, 'named'>): void {
  const given = (['project', 'workspace', 'stateOf', 'stateFor'] as const).filter(
    (subject) => places[subject] !== undefined,
  );
  const ofState = given.find((subject) => subject === 'stateOf' || subject === 'stateFor');
  const both = given.map((subject) => named(subjects[subject]));
  const [first, second] =
    team !== undefined && ofState !== undefined ? [named('team'), named(subjects[ofState])] : both;
  if (first === undefined || second === undefined) return;
  throw usageError(
    `${first} cannot be used with ${second}`,
    `ask one question at a time; ${named('team')} can be added to ${named('project')} and ${named('workspace')}`,
  );
}
