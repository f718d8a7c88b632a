import { basename } from 'node:path';
import { namePatterns, platformNames, textPatterns } from './terms.mjs';

/** Each token of TypeScript or JavaScript source: a comment, the text of a string, or code. */
function* tokensOf(source) {
  const template = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y;
  const token =
    /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)|(?<quote>['"])(?<string>(?:\\[\s\S]|(?!\k<quote>)[^\\\n])*)\k<quote>|(?<regex>(?<=[(,=:[!&|?{};>]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/)|(?<open>`)|(?<brace>[{}])|(?<code>[\w$]+)|[\s\S]/y;
  const depths = [];
  for (let at = 0; at < source.length; ) {
    token.lastIndex = at;
    const { groups, 0: all } = token.exec(source);
    const { comment, string, open, brace, code } = groups;
    const closesHole = brace === '}' && depths.at(-1) === 0;
    if (comment !== undefined) yield { kind: 'comment', at, text: comment };
    else if (string !== undefined) yield { kind: 'string', at: at + 1, text: string };
    else if (code !== undefined) yield { kind: 'code', at, text: code };
    at += all.length;
    if (open || closesHole) {
      if (closesHole) depths.pop();
      template.lastIndex = at;
      const [text] = template.exec(source);
      yield { kind: 'string', at, text };
      at += text.length;
      if (source[at] === '`') at += 1;
      else {
        at += 2;
        depths.push(0);
      }
    } else if (brace && depths.length > 0) depths[depths.length - 1] += brace === '{' ? 1 : -1;
  }
}

/** The parts of a file that are read by people. Of tests: titles, names and comments, because their strings are data. */
export function* textsOf(file, source) {
  if (!/\.(?:ts|mts|mjs|js)$/.test(file)) {
    const end =
      basename(file) === 'CHANGELOG.md' ? source.indexOf('\n## ', source.indexOf('## [Unreleased]') + 1) : -1;
    yield { at: 0, text: end < 0 ? source : source.slice(0, end), patterns: textPatterns };
    return;
  }
  const isTest = file.startsWith('test/');
  for (const { kind, at, text } of tokensOf(source)) {
    const isTitle = /(?:\b(?:test|it|describe)(?:\.\w+)*|\)|\bwhat:|\bhow:|\btitle:|\bname:)\s*\(?\s*['"`]$/;
    if (kind === 'code') {
      const spaced = text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, ' ');
      if (!platformNames.test(text)) yield { at, text: spaced, patterns: namePatterns };
    } else if (kind === 'comment' || !isTest || isTitle.test(source.slice(Math.max(0, at - 40), at)))
      yield { at, text, patterns: textPatterns };
  }
}
