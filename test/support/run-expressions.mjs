import { parentPort, workerData } from 'node:worker_threads';

/** What can make an expression try again: classes of characters, and texts that nearly match. */
const units = [
  ...[' ', ' \n', '\n ', ' :', ' #', 'a ', 'a, ', '\t', '\n', '\r\n', '\n#', '\n\\', '\u3000'],
  ...String.raw`\ \\u \u0 \" " ' ${'`'} "a ( ) [ ] { } {a 0 0. 0, 0- 1: - -a = + / // /a ../ : :: a: # ## ##[`.split(
    ' ',
  ),
  ...'* *a ? a A aA a. a@ _ , < & % %7 $ | . é 😀 \u0301 \u0000 👩\u200d \u200d \ufe0f \ud83d'.split(' '),
];
const behindWord = [' ', 'a', '0', '/', '.', ':', '"', '\\', '-', ' (', 'a:'];
const tails = ['', '\u0001', ' !'];

/** The texts of any length for an expression: those for all, and those with a word that the expression looks for. */
function* textsFor(source) {
  const repeated = (unit, length) => unit.repeat(Math.ceil(length / unit.length));
  const words = new Set(source.replaceAll(/\\(.)/g, '$1').match(/[\w:/#"-]{2,}/g));
  for (const tail of tails) {
    for (const unit of units) yield (length) => repeated(unit, length) + tail;
    for (const word of words) {
      yield (length) => repeated(word, length) + tail;
      for (const unit of behindWord) {
        yield (length) => repeated(word + unit, length) + tail;
        yield (length) => ` ${word}${repeated(unit, length)}${tail}`;
        yield (length) => `${word} ${repeated(unit, length)}${tail}`;
      }
    }
  }
}

const { expressions, first, lengths, suspicious } = workerData;
const [short, long] = lengths;
const isQuick = (expression, text) => {
  const start = performance.now();
  text.replace(expression, '');
  return performance.now() - start < suspicious;
};
for (let index = first; index < expressions.length; index += 1) {
  const { source, flags } = expressions[index];
  // To find all matches is at least the work of finding one.
  const expression = new RegExp(source, /[gy]/.test(flags) ? flags : `${flags}g`);
  parentPort.postMessage(index);
  for (const textOf of textsFor(source)) {
    const text = textOf(short);
    if (isQuick(expression, text) || isQuick(expression, text)) continue;
    // On a busy machine this happens to any expression. Only the long text shows whether the work grows faster than the text.
    parentPort.postMessage(index);
    textOf(long).replace(expression, '');
    parentPort.postMessage(index);
  }
}
parentPort.postMessage(undefined);
