import type { RenderOptions } from '../report.ts';

/** How a report looks as text. */
export interface TextOptions extends RenderOptions {
  /** The end of a line that only counts the rest; empty in a file, because its readers cannot pass a flag. */
  readonly hint: string;
}

/** For readers who can run the command again. */
export const fullHint = ' (--full lists them)';
