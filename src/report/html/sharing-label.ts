import { escapeControls } from '../escape-controls.ts';
import type { SharingNode } from '../sharing-view.ts';
import { shortenedLabel } from '../words.ts';
import { actionSigns } from './page-entry.ts';
import type { Size } from './rows.ts';

/** The advance of a character of a fixed-width font at the size of the labels. */
const characterWidth = 7.25;
const longestLabel = 32;
const labelHeight = 22;

/** The name on one line, cut where it is very long. */
export function labelText({ name }: SharingNode): string {
  return shortenedLabel(escapeControls(name), longestLabel);
}

/** The sign before the name: the action of the plan. */
export function labelSign({ action }: SharingNode): string {
  return action === null ? '' : actionSigns[action];
}

/** The mark behind the name of a workspace whose state every workspace, or every one of its project, can read. */
export function globalSign({ global, inProject }: SharingNode): string {
  const signed = { kept: '∗', added: '+∗', removed: '−∗' };
  return [
    ...(global === null ? [] : [`${signed[global]} all`]),
    ...(inProject === null ? [] : [`${signed[inProject]} project`]),
  ].join(' ');
}

export function nodeSize(node: SharingNode): Size {
  const sign = labelSign(node) === '' ? 0 : 2;
  const global = globalSign(node) === '' ? 0 : globalSign(node).length + 1;
  const width = Math.round((textWidth(labelText(node)) + sign + global) * characterWidth + 16);
  return { width, height: labelHeight };
}

export const labelMetrics = { characterWidth, labelHeight, inset: 8 } as const;

/** In characters; those of East Asian scripts and pictographs take two. */
export function textWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1), 0);
}
