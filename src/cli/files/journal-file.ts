import { recordKinds } from '../../apply/journal/journal.ts';
import { parseJournal, type RunJournal } from '../../apply/journal/parse-journal.ts';
import { isRecord } from '../../model/value.ts';
import { readFile } from './read-file.ts';
import { openSchema, type SchemaCheck } from './schema-check.ts';

/**
 * Reads what `apply --journal` wrote.
 *
 * @throws {AttuneError} where the file cannot be read, or is no journal of this version.
 */
export async function readJournalFile(name: string, cwd: string): Promise<RunJournal[]> {
  const text = await readFile(name, cwd, {
    code: 'bad-journal',
    hint: 'give the file that `attune apply --journal` wrote',
  });
  return parseJournal(text, name, await recordCheck());
}

/** The schema of its own kind says what is wrong with a record; that of all kinds says it of each. */
async function recordCheck(): Promise<SchemaCheck> {
  const checkOf = await openSchema('journal');
  const checks = new Map<unknown, SchemaCheck>(recordKinds.map((kind) => [kind, checkOf(kind)]));
  return (record) => {
    const check = isRecord(record) ? checks.get(record.record) : undefined;
    return check ? check(record) : ['it is no record of a journal'];
  };
}
