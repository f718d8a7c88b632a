import { relative } from 'node:path';
import type { IConstruct } from 'constructs';
import type { SourceLocation } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';
import { callSiteOf } from './call-site.ts';
import type { Origin } from './placed.ts';

/** Where a construct was made. */
export function originOf(construct: IConstruct): Origin {
  return { construct, site: callSiteOf(construct) };
}

/** The place of an origin, from the working folder. */
export function locate({ construct, site }: Origin): SourceLocation {
  const { file, line, column } = site();
  return { file: slashed(relative(process.cwd(), file)), line, column, construct: construct.node.path };
}
