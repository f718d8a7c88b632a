/** Resolves once the clock has reached `deadline`, in milliseconds of `performance.now()`. */
export function waitUntil(deadline: number, clock: () => number = () => performance.now()): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      const left = deadline - clock();
      if (left <= 0) resolve();
      // Timers have a grain of a millisecond and come late rather than early: the last of it is waited out turn by turn.
      else if (left > 4) setTimeout(check, left - 3);
      else setImmediate(check);
    };
    check();
  });
}
