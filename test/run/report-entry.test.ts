import { win32 } from 'node:path';
import { expect, test } from 'vitest';
import { shownFrom } from '../../src/run/report-entry.ts';

test.each([
  ['C:\\live', 'workspaces/a.yaml', 'workspaces/a.yaml'],
  ['C:\\live\\prod', 'workspaces/a.yaml', 'prod/workspaces/a.yaml'],
  ['C:\\live\\prod', 'D:/policies/a.yaml', 'D:/policies/a.yaml'],
  ['D:\\prod', 'a.yaml', 'D:/prod/a.yaml'],
])('a run in C:\\live on Windows, with a root file in %s, shows the file %s as %s', (folder, file, shown) => {
  expect(shownFrom('C:\\live', folder, win32)(file)).toBe(shown);
});
