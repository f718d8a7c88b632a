import { schemaFile } from '../../desired/schema/schema.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { isRecord } from '../../model/value.ts';
import { escapeControls } from '../../report/escape-controls.ts';
import { embedded, parseAddress, printAddress } from '../../service/address.ts';
import type { Io } from '../io.ts';

const ciSystems = ['github', 'gitlab'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** The answers that the command line gives. */
export interface GivenAnswers {
  readonly organization?: string;
  readonly address?: string;
  readonly import?: boolean;
  readonly ci?: CiSystem;
  /** Takes the defaults instead of asking. */
  readonly yes?: boolean;
}

/** The settings of a new repository. */
export interface Answers {
  readonly organization: string;
  /** A URL, or the word `embedded`. */
  readonly address: string;
  /** Whether the live state is imported into the files. */
  readonly isImported: boolean;
  readonly ci?: CiSystem;
}

/** The default organization on the embedded service. */
const defaultOrganization = 'acme';

/**
 * Uses the flags, else asks on the terminal, else uses the defaults.
 *
 * Asks again after an invalid answer.
 *
 * @throws {AttuneError} if a flag or a default is not valid, or the organization is missing.
 */
export async function resolveAnswers(flags: GivenAnswers, io: Io): Promise<Answers> {
  const ask = async <Answer>(
    question: string,
    usual: string,
    check: (answer: string) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    for (;;) {
      const answer = flags.yes
        ? undefined
        : await io.ask(`${question}${usual === '' ? '' : ` [${usual}]`}: `);
      try {
        return await check(answer?.trim() || usual);
      } catch (error) {
        if (answer === undefined || !(error instanceof AttuneError)) throw error;
        io.stderr.write(`${escapeControls(error.message)}\n`);
      }
    }
  };
  const address =
    flags.address === undefined
      ? await ask(
          'Address of the service, or `embedded` for a trial without an account',
          io.env.ATTUNE_ADDRESS || embedded,
          checkedAddress,
        )
      : checkedAddress(flags.address);
  const usual = address === embedded ? defaultOrganization : '';
  const organization =
    flags.organization === undefined
      ? await ask('Name of the organization', usual, checkedOrganization)
      : await checkedOrganization(flags.organization);
  const isImported =
    flags.import ?? (address !== embedded && (await ask('Import the live state? yes or no', 'no', yes)));
  const ci = flags.ci ?? (await ask('CI recipes: github, gitlab or none', 'none', checkedCi));
  return { organization, address, isImported, ...(ci && { ci }) };
}

function checkedAddress(address: string): string {
  return address === embedded ? embedded : printAddress(parseAddress(address));
}

/** Checked with the same rule as in configuration files. */
function checkedOrganization(organization: string): string {
  if (organization === '') {
    throw new AttuneError('init requires an organization for a service address', {
      code: 'no-organization',
      hint: 'add --organization NAME, or remove --address to use the embedded service',
    });
  }
  const { properties } = JSON.parse(readPackageFile(schemaFile));
  const rule = isRecord(properties) && isRecord(properties.organization) ? properties.organization : {};
  if (new RegExp(String(rule.pattern), 'u').test(organization)) return organization;
  throw new AttuneError(`invalid organization name "${organization}"`, {
    code: 'usage',
    hint: 'use a name without spaces and slashes',
  });
}

function yes(answer: string): boolean {
  const lowerCase = answer.toLowerCase();
  if (lowerCase === 'yes' || lowerCase === 'y') return true;
  if (lowerCase === 'no' || lowerCase === 'n') return false;
  throw invalidAnswer(answer, 'yes or no');
}

function checkedCi(answer: string): CiSystem | undefined {
  const lowerCase = answer.toLowerCase();
  if (lowerCase === 'none') return undefined;
  const system = ciSystems.find((known) => known === lowerCase);
  if (system) return system;
  throw invalidAnswer(answer, 'github, gitlab or none');
}

function invalidAnswer(answer: string, words: string): AttuneError {
  return new AttuneError(`invalid answer "${answer}": expected ${words}`, { code: 'usage' });
}
