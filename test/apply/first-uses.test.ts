import { describe, expect, test } from 'vitest';
import { createFirstUses } from '../../src/apply/operations/operation.ts';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { stage } from './stage.ts';

const names = Array.from({ length: 8 }, (_, index) => `w-${index}`);
const live = { workspaces: Object.fromEntries(names.map((name) => [name, {}])) };

/** Applies one tag per workspace, and returns when each use began and ended. */
async function uses(tagOf: (index: number) => string, options: EmulatorOptions): Promise<string[]> {
  const lines = names.map((name, index) => `  ${name}: {tags: [${tagOf(index)}]}`);
  const { apply, client } = await stage(`workspaces:\n${lines.join('\n')}\n`, options);
  const log: string[] = [];
  const watched: ServiceClient = {
    ...client,
    send: async (call, sendOptions) => {
      if (!call.path.endsWith('/relationships/tags')) return client.send(call, sendOptions);
      log.push('begin');
      return client.send(call, sendOptions).finally(() => log.push('end'));
    },
  };
  const result = await apply({ client: watched, parallelism: 10 });
  expect(result.changes.map(({ result: outcome }) => outcome)).toEqual(names.map(() => 'done'));
  expect(log).toHaveLength(2 * names.length);
  return log;
}

describe('the first use of a tag that is new to the organization is not raced by a second', () => {
  test.each([
    ['on workspaces that are there', live],
    ['on workspaces that the same run creates', { workspaces: {} }],
  ])(
    'the first use of a tag that is new to the organization is not raced by a second %s',
    async (_, seed) => {
      const log = await uses(() => 'new', { seed });
      expect(log.slice(0, 2)).toEqual(['begin', 'end']);
    },
  );

  test('two spellings of a new tag are used one after the other if the service stores tags in lower case', async () => {
    const log = await uses((index) => (index % 2 === 0 ? 'New' : 'nEW'), {
      seed: live,
      dialect: 'terraform',
    });
    expect(log.slice(0, 2)).toEqual(['begin', 'end']);
  });
});

describe('uses of tags', () => {
  /** A use whose end is up to the test. */
  function use(uses: ReturnType<typeof createFirstUses>, tags: readonly string[], log: string[]) {
    const label = tags.join('+');
    let end: (error?: Error) => void = () => {};
    const ended = uses
      .use(tags, () => {
        log.push(`begin ${label}`);
        return new Promise<void>((resolve, reject) => {
          end = (error) => (error ? reject(error) : resolve());
        });
      })
      .then(
        () => log.push(`end ${label}`),
        () => log.push(`fail ${label}`),
      );
    return { end: (error?: Error) => end(error), ended };
  }

  test('uses of different new tags run concurrently, as does a later use of one of them', async () => {
    const log: string[] = [];
    const uses = createFirstUses();
    const first = use(uses, ['a'], log);
    const other = use(uses, ['b'], log);
    first.end();
    await first.ended;
    use(uses, ['a'], log);
    use(uses, ['a'], log);
    expect(log).toEqual(['begin a', 'begin b', 'end a', 'begin a', 'begin a']);
    other.end();
  });

  test('after a failed first use of a tag, the next use runs alone again', async () => {
    const log: string[] = [];
    const uses = createFirstUses();
    const first = use(uses, ['a'], log);
    const second = use(uses, ['a'], log);
    const third = use(uses, ['a'], log);
    first.end(new Error('refused'));
    await first.ended;
    await finished();
    expect(log).toEqual(['begin a', 'fail a', 'begin a']);
    second.end();
    await second.ended;
    await finished();
    expect(log.slice(3)).toEqual(['end a', 'begin a']);
    third.end();
  });

  test('two changes that use the tags of each other do not wait for each other', async () => {
    const log: string[] = [];
    const uses = createFirstUses();
    const both = [use(uses, ['a', 'b'], log), use(uses, ['b', 'a'], log)];
    for (const one of both) {
      one.end();
      await one.ended;
      await finished();
    }
    expect(log).toEqual(['begin a+b', 'end a+b', 'begin b+a', 'end b+a']);
  });
});

/** Resolves when each task that can continue has continued. */
function finished(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
