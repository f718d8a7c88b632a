import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/** From the outside in: each room may import those below it, and none above. */
const rooms = [
  'cli',
  'index.ts',
  'sdk',
  'cdktf',
  'constructs',
  'emulator',
  'import',
  'report',
  'undo',
  'apply',
  'plan',
  'diff',
  'desired',
  'live',
  'service',
  'model',
] as const;
type Room = (typeof rooms)[number];

const root = join(import.meta.dirname, '..', 'src');

interface Import {
  /** Relative to `src`. */
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((from): Import[] => {
  const text = readFileSync(join(root, from), 'utf8');
  // `from '…'` of imports and re-exports, `import('…')`, and `import '…'` for its effects.
  const found = text.matchAll(/\bfrom\s+'(\.[^']+)'|\bimport\s*\(\s*'(\.[^']+)'|^import\s+'(\.[^']+)'/gm);
  return [...found].map(([, named, dynamic, bare]) => ({
    from: slashed(from),
    to: declared(slashed(relative(root, resolve(root, dirname(from), named ?? dynamic ?? bare ?? '')))),
  }));
});

/** What the build makes is declared beside its importer. */
function declared(path: string): string {
  return path.replace(/\.js$/, '.d.ts');
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

function roomOf(file: string): Room | undefined {
  return rooms.find((room) => room === file.split('/')[0]);
}

function shown({ from, to }: Import): string {
  return `${from} -> ${to}`;
}

test('there are imports to look at', () => {
  expect(imports.length).toBeGreaterThan(200);
  expect(imports.filter(({ to }) => !files.map(slashed).includes(to)).map(shown)).toEqual([]);
});

test('every file stands in a room that is known', () => {
  expect(files.map(slashed).filter((file) => roomOf(file) === undefined)).toEqual([]);
});

describe('imports point downward', () => {
  test.each(rooms)('from %s', (room) => {
    const upward = imports.filter(({ from, to }) => {
      const target = roomOf(to);
      return roomOf(from) === room && (target === undefined || rooms.indexOf(target) < rooms.indexOf(room));
    });
    expect(upward.map(shown)).toEqual([]);
  });
});

test('no room imports itself by a way round', () => {
  const needs = new Map<Room, Set<Room>>();
  for (const { from, to } of imports) {
    const [source, target] = [roomOf(from), roomOf(to)];
    if (source && target && source !== target)
      needs.set(source, (needs.get(source) ?? new Set()).add(target));
  }
  const reaches = (from: Room, goal: Room, seen = new Set<Room>()): boolean =>
    [...(needs.get(from) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  expect(rooms.filter((room) => reaches(room, room))).toEqual([]);
});

test('nothing imports the command line', () => {
  expect(imports.filter(({ from, to }) => roomOf(to) === 'cli' && roomOf(from) !== 'cli').map(shown)).toEqual(
    [],
  );
});

test('the embedded service knows the model and the shapes on the wire, and nothing else of ours', () => {
  const allowed = (to: string) =>
    ['emulator', 'model'].includes(roomOf(to) ?? '') || to === 'service/documents.ts';
  const foreign = imports.filter(({ from, to }) => roomOf(from) === 'emulator' && !allowed(to));
  expect(foreign.map(shown)).toEqual([]);
});

test('the model imports nothing of ours', () => {
  expect(
    imports.filter(({ from, to }) => roomOf(from) === 'model' && roomOf(to) !== 'model').map(shown),
  ).toEqual([]);
});

test('the command line loads the embedded service and its commands only when they are called', () => {
  const loads = files.map(slashed).flatMap((file) => {
    if (roomOf(file) !== 'cli') return [];
    const text = readFileSync(join(root, file), 'utf8');
    // Types are gone at run time.
    const still = text.matchAll(
      /^import (?!type\b)[^;]*from '((?:\.\.\/)+(?:emulator|constructs|cdktf)\/[^']+)'/gm,
    );
    return [...still].map(([, to = '']) => `${file} -> ${to}`);
  });
  expect(loads).toEqual([]);
});

test('planning has nothing to write with: live, diff and plan know no client that sends', () => {
  const planners = files
    .map(slashed)
    .filter((file) =>
      ['live', 'desired', 'diff', 'plan', 'undo', 'report', 'import', 'constructs'].includes(
        roomOf(file) ?? '',
      ),
    );
  const armed = planners.filter((file) =>
    /\bServiceClient\b|createService/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(armed).toEqual([]);
});
