/**
 * Keeps a SIGHUP from ending `watch` while its program is loaded: the signal asks for a cycle, and the first one is yet to
 * begin.
 */
export function surviveEarlyHangup(): void {
  if (process.argv[2] === 'watch') process.on('SIGHUP', () => {});
}
