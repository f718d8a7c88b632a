import { test } from 'vitest';
import { follow, walkthroughs } from './support/walkthrough.ts';

test.each(walkthroughs('fast'))('the commands of the walkthrough %s print what the page shows', (page) =>
  follow(page),
);
