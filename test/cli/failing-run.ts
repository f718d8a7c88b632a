import type { Fault } from '../../src/emulator/index.ts';
import { type Ran, type WorldOptions, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';

export const token = 'test-token-7d41';

const yaml = `attune: 1
organization: acme
workspaces:
  network: {description: new words}
`;
const seed = {
  organization: 'acme',
  workspaces: { network: { id: 'ws-network', description: 'old words' } },
} as const;

export interface FailingRun extends WorldOptions {
  readonly faults?: readonly Fault[];
}

/** Everything that was printed, the exit code, and the requests that write. */
export interface Failure {
  readonly text: string;
  readonly stdout: string;
  readonly writes: readonly string[];
}

/** Runs a command against a failing service; `SERVICE` replaces its host and port. */
export async function failing(command: string, { faults, ...run }: FailingRun = {}): Promise<Failure> {
  const options = { env: { ATTUNE_TOKEN: token }, clock: jumpingClock(), ...run };
  const world = await worldWith(yaml, { seed, ...(faults && { faults }) }, options);
  const ran = await world.attune(...command.split(' '));
  const plain = (text: string) => text.replaceAll(new URL(world.service.url).host, 'SERVICE');
  return { text: plain(printed(ran)), stdout: plain(ran.stdout), writes: world.writes() };
}

function printed({ code, stdout, stderr }: Ran): string {
  return `${stdout}${stderr === '' ? '' : `stderr:\n${stderr}`}exit ${code}\n`;
}
