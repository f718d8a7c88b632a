import { expect, test } from 'vitest';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import type { LookUp } from '../../src/model/configuration.ts';
import { answerTo } from '../../src/resolve/name-problems.ts';
import { configured } from '../desired/load-files.ts';

/** The hint for an unknown name, in a reference or as the value of an alias. */
async function hintOf(
  name: string,
  known: readonly string[],
  alias?: string,
  kind: AliasKind = 'projects',
): Promise<string | undefined> {
  const configuration = await configured('projects: {Zebra: prj-1}\nteams: {Horse: team-1}\n');
  const lookUp: LookUp = { kind, name, placeholder: `{${name}}`, places: [] };
  const location = { file: 'attune.yaml', line: 1, column: 1 };
  const place = { location, ...(alias !== undefined && { alias }) };
  const listed = known.map((one, index) => ({ name: one, id: `prj-${index}` }));
  const answer = answerTo(lookUp, listed, configuration);
  return typeof answer === 'string' ? undefined : answer(place).hint;
}

const animals = ['ape', 'bat', 'cat', 'cow', 'dog', 'elk', 'emu', 'fox', 'gnu', 'hen', 'owl', 'pig', 'rat'];

test('the hint for an unknown name lists up to 12 names, and shows how to write an id if there are more', async () => {
  expect(await hintOf('Moderate', animals.slice(0, 11))).toBe(
    'write Zebra, ape, bat, cat, cow, dog, elk, emu, fox, gnu, hen or owl',
  );
  expect(await hintOf('Moderate', animals.slice(0, 12))).toBe(
    'declare it by its id under projects: "Moderate: prj-..."',
  );
});

test('the hint for the value of an alias offers names of the service only', async () => {
  expect(await hintOf('Zebrb', ['ape'])).toBe('did you mean "Zebra"?');
  expect(await hintOf('Zebrb', ['ape'], 'key')).toBe('write ape');
  expect(await hintOf('Zebra', [], 'key')).toBe('write its id: "key: prj-..."');
});

test('the hint for an unknown team never offers the owners', async () => {
  expect(await hintOf('owner', ['owners', 'ops'], undefined, 'teams')).toBe('write Horse or ops');
});

test('a name with a quote is written as a quoted key', async () => {
  expect(await hintOf("it's", animals)).toBe(`declare it by its id under projects: "'it''s': prj-..."`);
});
