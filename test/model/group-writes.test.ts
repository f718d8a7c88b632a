import { expect, test } from 'vitest';
import { groupWrites } from '../../src/model/files.ts';

test('texts that arrive while a write is running are written together by the next one', async () => {
  const groups: string[] = [];
  let endFirst = () => {};
  const first = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const writer = groupWrites(async (texts) => {
    groups.push(texts);
    if (groups.length === 1) await first;
  });
  const a = writer.append('a');
  await Promise.resolve();
  const others = [writer.append('b'), writer.append('c')];
  expect(groups).toEqual(['a']);
  endFirst();
  await Promise.all([a, ...others]);
  expect(groups).toEqual(['a', 'bc']);
});

test('after a write that fails, no later text is written', async () => {
  const groups: string[] = [];
  const writer = groupWrites(async (texts) => {
    groups.push(texts);
    throw new Error('the disk is full');
  });
  await expect(writer.append('a')).rejects.toThrow('the disk is full');
  await expect(writer.append('b')).rejects.toThrow('the disk is full');
  await writer.idle();
  expect(groups).toEqual(['a']);
});
