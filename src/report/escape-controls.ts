/**
 * Characters that a terminal acts on or that make text read differently from what it is: C0, DEL and C1 controls, line
 * and paragraph separators, and the marks that turn the direction of text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
const controls = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line with nothing in it that a terminal or a reader could take for something else. */
export function escapeControls(text: string): string {
  return text.replace(
    controls,
    (character) => short[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}
