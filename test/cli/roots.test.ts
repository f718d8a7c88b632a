import { expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';

const root = (organization: string) => `attune: 1\norganization: ${organization}\n`;
test('roots prints control characters and commands of job logs in paths as escapes', async () => {
  const cwd = await folderWith({
    '::error::a.yaml': root('a'),
    'b\u001b[31m\u0085\u202e\u200b.yaml': root('b'),
    'c##[error]##vso[x].yaml': root('c'),
  });
  expect((await attune(['roots'], { cwd })).stdout).toBe(
    '\\u{3a}:error::a.yaml\nb\\u{1b}[31m\\u{85}\\u{202e}\\u{200b}.yaml\nc##\\u{5b}error]##vso\\u{5b}x].yaml\n',
  );
  const { stdout } = await attune(['roots', '--format', 'json'], { cwd });
  for (const raw of ['\u001b', '\u0085', '\u202e', '\u200b', '##[', '##vso['])
    expect(stdout).not.toContain(raw);
  expect(JSON.parse(stdout).roots.map((one: { root: string }) => one.root)).toContain(
    'c##[error]##vso[x].yaml',
  );
});

test.each(['text', 'json', 'github-matrix'])(
  'roots refuses a path with a line break in the format %s',
  async (format) => {
    const cwd = await folderWith({ 'a.yaml': root('a'), 'a\n--app=x.yaml': root('b') });
    const { code, stdout, stderr } = await attune(['roots', '--format', format], { cwd });
    expect([code, format === 'json' ? JSON.parse(stdout).diagnostics[0] : stderr]).toEqual([
      1,
      format === 'json'
        ? expect.objectContaining({ code: 'root-without-organization' })
        : expect.stringContaining('error[root-without-organization]: cannot list "a\\n--app=x.yaml": '),
    ]);
  },
);
