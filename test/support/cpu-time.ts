/** Milliseconds of work that this process has done: unlike the clock, it does not run while others have the processor. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
