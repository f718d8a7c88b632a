import { accessStyles } from './access.ts';
import { baseStyles } from './base.ts';
import { changesStyles } from './changes.ts';
import { printStyles } from './print.ts';
import { sharingStyles } from './sharing.ts';

/** The one style of the page; the policy allows it by its hash. */
export const styles: string = [baseStyles, changesStyles, sharingStyles, accessStyles, printStyles].join('');
