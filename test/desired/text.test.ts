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
attune.yaml:3:22: warning[unclear-name]: the project "Pay\\u{200b}ments" has an invisible character, U+200B
  3 | projects: {payments: {name: "Pay\\u{200b}ments"}}
    |                      ^
  hint: type the name again, or copy it from the service
attune.yaml:4:46: warning[unclear-name]: the tag "pr\u043ed" mixes Latin letters with "\u043e", which can look like one and is U+043E
  4 | workspaces: {app: {project: payments, tags: [pr\u043ed, "so\\u{ad}ft", plain]}}
    |                                              ^
  hint: type the name again, or copy it from the service
attune.yaml:4:52: warning[unclear-name]: the tag "so\\u{ad}ft" has an invisible character, U+00AD
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
  ['a\u3164b', 'has an invisible'],
  ['a\u200db', 'has an invisible'],
  ['a\u2800', 'has an invisible'],
  ['\u{e0041}', 'has an invisible'],
  ['αdmin', 'mixes Latin letters'],
  ['Ꮯloud', 'mixes Latin letters'],
])('the unclear part of the text %j is %s', (text, why) => {
  expect(unclearText(text)?.split(/[, ]+/).slice(0, 3).join(' ')).toBe(why);
});
