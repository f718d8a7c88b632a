import { expect, test, vi } from 'vitest';
import {
  announcedLimit,
  type FailedAttempt,
  maxFailures,
  maxThrottled,
  retryWait,
} from '../../src/service/pacer.ts';

const read: FailedAttempt = {
  method: 'GET',
  failures: 1,
  maxFailures,
  throttled: 0,
  repeatable: false,
  random: 0,
};
const write: FailedAttempt = { ...read, method: 'POST' };

test.each<[string, FailedAttempt, number | undefined]>([
  ['a read without an answer', read, 125],
  ['a read with 500', { ...read, status: 500 }, 125],
  ['a read with 502', { ...read, status: 502 }, 125],
  ['a read with 503', { ...read, status: 503 }, 125],
  ['a read with 504', { ...read, status: 504 }, 125],
  ['a read with 501', { ...read, status: 501 }, undefined],
  ['a read with 404', { ...read, status: 404 }, undefined],
  ['a read with 422', { ...read, status: 422 }, undefined],
  ['a redirected read', { ...read, status: 302 }, undefined],
  ['a write without an answer', write, undefined],
  ['a write with 503', { ...write, status: 503 }, undefined],
  ['a repeatable write without an answer', { ...write, repeatable: true }, 125],
  ['a repeatable write with 503', { ...write, repeatable: true, status: 503 }, 125],
  ['a repeatable write with 500', { ...write, repeatable: true, status: 500 }, undefined],
  ['a repeatable write with 409', { ...write, repeatable: true, status: 409 }, undefined],
  ['any write with 429', { ...write, status: 429, failures: 0, throttled: 1 }, 1000],
])('the retry policy gives the wait after %s: %j', (_name, attempt, wait) => {
  expect(retryWait(attempt)).toBe(wait);
});

test.each<[string, Partial<FailedAttempt>, number]>([
  ['125 ms the first time', {}, 125],
  ['twice as long the second time', { failures: 2 }, 250],
  ['twice as long again the third time', { failures: 3 }, 500],
  ['spread at random', { failures: 3, random: 0.5 }, 750],
  ['as long as requested if that is longer', { askedWait: 9000 }, 9000],
  ['no shorter than without a requested wait', { failures: 4, askedWait: 10 }, 1000],
  ['as long as requested for 429', { status: 429, askedWait: 4000 }, 4000],
  ['spread at random for 429', { status: 429, askedWait: 4000, random: 0.5 }, 4100],
  ['at least a tenth of a second for 429', { status: 429, askedWait: 0 }, 100],
])('the wait before a retry is %s', (_name, rest, wait) => {
  expect(retryWait({ ...read, ...rest })).toBe(wait);
});

test('the retry policy bounds failures, and does not count 429 as one', () => {
  expect(retryWait({ ...read, failures: maxFailures })).toBeUndefined();
  expect(retryWait({ ...read, failures: maxFailures - 1 })).toBeDefined();
  expect(retryWait({ ...read, failures: maxFailures, status: 429, throttled: 1 })).toBeDefined();
  expect(retryWait({ ...read, failures: 0, status: 429, throttled: maxThrottled })).toBeUndefined();
});

test.each([
  { headers: {}, expected: {} },
  { headers: { 'x-ratelimit-limit': '30' }, expected: { limit: 30 } },
  { headers: { 'x-ratelimit-limit': '0' }, expected: {} },
  { headers: { 'x-ratelimit-limit': '1e-9' }, expected: {} },
  { headers: { 'x-ratelimit-limit': 'many' }, expected: {} },
  { headers: { 'x-ratelimit-limit': '' }, expected: {} },
  { headers: { 'x-ratelimit-limit': ['20', '30'] }, expected: { limit: 20 } },
  { headers: { 'x-ratelimit-remaining': '0' }, expected: { remaining: 0 } },
  { headers: { 'x-ratelimit-reset': '0.421' }, expected: { wait: 421 } },
  { headers: { 'x-ratelimit-reset': '-3' }, expected: {} },
  { headers: { 'x-ratelimit-reset': '86400' }, expected: { wait: 3_600_000 } },
  { headers: { 'retry-after': '2' }, expected: { wait: 2000 } },
  { headers: { 'retry-after': '2', 'x-ratelimit-reset': '7' }, expected: { wait: 2000 } },
  { headers: { 'retry-after': 'soon', 'x-ratelimit-reset': '7' }, expected: { wait: 7000 } },
])('the rate limit headers $headers give $expected', ({ headers, expected }) => {
  expect(announcedLimit(headers)).toEqual(expected);
});

test.each([
  { header: '1800000007.5', wait: 7500 },
  { header: '1799999000', wait: 0 },
  { header: '1800090000', wait: 3_600_000 },
])('the reset $header of the rate limit is a time since 1970', ({ header, wait }) => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  try {
    expect(announcedLimit({ 'x-ratelimit-reset': header })).toEqual({ wait });
  } finally {
    vi.useRealTimers();
  }
});
