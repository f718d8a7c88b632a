import type { Source } from './files/source.ts';
import type { Origins } from './origins.ts';
import type { Problems } from './problems.ts';

/** What the steps of loading one root share. */
export interface Loading {
  readonly problems: Problems;
  readonly origins: Origins;
  /** The files that could be read, the root first. */
  readonly sources: Source[];
  /**
   * Whether a file, or a section that declares names, could not be read. What is not declared may then stand in there,
   * so missing names are not reported.
   */
  incomplete: boolean;
}
