import { styleText } from 'node:util';

/** Colours a piece of text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;
/** What a piece of text can look like on a terminal. */
export type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim' | 'cyan';

export const plain: Paint = (_style, text) => text;

/** For a terminal; whether there is one that wants colour is for the caller to know. */
export const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false });
