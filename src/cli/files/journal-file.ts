import { readFileSync } from 'node:fs';
import { recordKinds } from '../../apply/journal/journal.ts';
import { parseJournal, type RunJournal } from '../../apply/journal/parse-journal.ts';
import { isRecord } from '../../model/value.ts';
import { readFile } from './read-file.ts';

const schemaFile = new URL('../../../schemas/journal.schema.json', import.meta.url);

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

async function recordCheck(): Promise<(record: unknown) => readonly string[]> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ allowUnionTypes: true });
  ajv.addSchema(JSON.parse(readFileSync(schemaFile, 'utf8')), 'journal');
  return (record) => {
    // The schema of its own kind says what is wrong with a record; that of all kinds says it of each.
    const kind = recordKinds.find((one) => isRecord(record) && record.record === one);
    const validate = kind && ajv.getSchema(`journal#/$defs/${kind}`);
    if (validate === undefined) return ['it is no record of a journal'];
    return validate(record)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
  };
}
