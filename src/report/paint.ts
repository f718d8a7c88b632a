import { styleText } from 'node:util';

/** Colors text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;
/** The style of text on a terminal. */
export type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim' | 'cyan';

export const plain: Paint = (_style, text) => text;

/** For a terminal; the caller decides whether it supports color. */
export const colored: Paint = (style, text) => styleText(style, text, { validateStream: false });
