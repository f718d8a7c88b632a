import { expect, test } from 'vitest';
import { unclearText } from '../../src/model/text.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { loadFiles, rootText } from './load-files.ts';

test('names with invisible characters or letters of several scripts are warnings', async () => {
  const zeroWidth = '\u200b';
  const yaml = rootText(`
projects: {payments: {name: "Pay${zeroWidth}ments"}}
workspaces: {app: {project: payments, tags: [pr\u043ed, "so\u00adft", plain]}}
`);
  expect(renderDiagnostics((await loadFiles({ 'attune.yaml': yaml })).diagnostics)).toBe(`\
attune.yaml:3:22: warning[invisible-character]: the project "Pay\\u{200b}ments" has an invisible character, U+200B
  3 | projects: {payments: {name: "Pay\\u{200b}ments"}}
    |                      ^
  hint: type the name again, or copy it from the service
attune.yaml:4:46: warning[mixed-scripts]: the tag "pr\u043ed" mixes Latin and Cyrillic letters, which can look alike: "\u043e" is U+043E
  4 | workspaces: {app: {project: payments, tags: [pr\u043ed, "so\\u{ad}ft", plain]}}
    |                                              ^
  hint: type the name again, or copy it from the service
attune.yaml:4:52: warning[invisible-character]: the tag "so\\u{ad}ft" has an invisible character, U+00AD
  4 | workspaces: {app: {project: payments, tags: [pr\u043ed, "so\\u{ad}ft", plain]}}
    |                                                    ^
  hint: type the name again, or copy it from the service
`);
});

test.each([
  ['network-prod', undefined],
  ['日本語-プロジェクト prod', undefined],
  ['Команда 1', undefined],
  ['café', undefined],
  ['team 👩‍💻 ❤️', undefined],
  ['a\u3164b', 'invisible-character'],
  ['a\u200db', 'invisible-character'],
  ['a\u2800', 'invisible-character'],
  ['\u{e0041}', 'invisible-character'],
  ['αdmin', 'mixed-scripts'],
  ['Ꮯloud', 'mixed-scripts'],
])('the unclear part of the text %j is %s', (text, code) => {
  expect(unclearText(text)?.code).toBe(code);
});
