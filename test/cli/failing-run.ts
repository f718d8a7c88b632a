import type { Fault } from '../../src/emulator/index.ts';
import { attune, folderWith, type Ran, serviceWith } from '../support/attune.ts';
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

export interface FailingRun {
  readonly faults?: readonly Fault[];
  /** @default the service's */
  readonly address?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed at the question; without it there is no terminal. */
  readonly answer?: string;
}

/** Everything that was printed, the exit code, and the requests that write. */
export interface Failure {
  readonly text: string;
  readonly stdout: string;
  readonly writes: readonly string[];
}

/** Runs a command against a service on which something goes wrong; `SERVICE` stands for its host and port. */
export async function failing(command: string, run: FailingRun = {}): Promise<Failure> {
  const service = await serviceWith({ seed, ...(run.faults && { faults: run.faults }) });
  const folder = await folderWith({ 'attune.yaml': yaml });
  const ran = await attune([...command.split(' '), '--address', run.address ?? service.url], {
    cwd: folder,
    env: run.env ?? { ATTUNE_TOKEN: token },
    clock: jumpingClock(),
    ...(run.answer !== undefined && { answer: run.answer }),
  });
  const plain = (text: string) => text.replaceAll(new URL(service.url).host, 'SERVICE');
  return {
    text: plain(printed(ran)),
    stdout: plain(ran.stdout),
    writes: service.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`),
  };
}

function printed({ code, stdout, stderr }: Ran): string {
  return `${stdout}${stderr === '' ? '' : `stderr:\n${stderr}`}exit ${code}\n`;
}
