import { test } from 'vitest';
import { sample } from '../../support/cases.ts';
import { eachRequest, survive } from './survive.ts';

// Separate from each-request.test.ts, so that both files run at the same time.
test.each([429, 500, 502, 503, 504])(
  'when the service answers %s during a request of an apply, the report is true and the next run completes the apply',
  async (status) => {
    const reset = status === 429 && { reset: 0.5 };
    for (const nth of sample(eachRequest(), 30)) await survive({ kind: 'status', status, ...reset, nth });
  },
);
