import { expect, test, vi } from 'vitest';
import { announcedLimit } from '../../src/service/retry.ts';

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
  { headers: { 'x-ratelimit-reset': '86400' }, expected: { wait: 300_000 } },
  { headers: { 'retry-after': '2' }, expected: { wait: 2000 } },
  { headers: { 'retry-after': '2', 'x-ratelimit-reset': '7' }, expected: { wait: 2000 } },
  { headers: { 'retry-after': 'soon', 'x-ratelimit-reset': '7' }, expected: { wait: 7000 } },
])('the rate limit headers $headers give $expected', ({ headers, expected }) => {
  expect(announcedLimit(headers)).toEqual(expected);
});

test.each([
  { header: '1800000007.5', wait: 7500 },
  { header: '1799999000', wait: 0 },
  { header: '1800090000', wait: 300_000 },
])('the reset $header of the rate limit is a time since 1970', ({ header, wait }) => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  try {
    expect(announcedLimit({ 'x-ratelimit-reset': header })).toEqual({ wait });
  } finally {
    vi.useRealTimers();
  }
});
