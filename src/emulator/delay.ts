/** Resolves once the clock has reached `deadline`, in milliseconds of `performance.now()`. */
export function waitUntil(deadline: number, clock: () => number = () => performance.now()): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      const left = deadline - clock();
      // Timers have a grain of a millisecond: a quarter too early is nearer than a whole one too late.
      if (left < 0.25) resolve();
      else setTimeout(check, left);
    };
    check();
  });
}
