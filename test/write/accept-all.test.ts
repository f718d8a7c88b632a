import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { forAllPairsAndRefused } from '../properties/pairs.ts';
import { attune, folderWith } from '../support/attune.ts';

test('after `accept --all` the plan is empty, but for what accept reports as not accepted', async () => {
  const failures: string[] = [];
  await forAllPairsAndRefused({ fast: 1, soak: 24 }, async ({ pair, service }) => {
    service.clearRequests();
    const data = { attune: 1, organization: 'acme', ...pair.desired };
    const text = stringify(data, { aliasDuplicateObjects: false });
    const cwd = await folderWith({ 'attune.yaml': text });
    const go = (...argv: readonly string[]) =>
      attune([...argv, '--address', service.url], { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
    const accepted = JSON.parse((await go('accept', '--all', '--format', 'json')).stdout);
    const notAccepted = (
      accepted.diagnostics as { code: string; address?: string; message: string }[]
    ).filter(({ code }) => code === 'not-acceptable');
    const drift = JSON.parse((await go('drift', '--format', 'json')).stdout);
    const planned = JSON.parse((await go('plan', '--format', 'json')).stdout);
    const left = unreported(planned, accepted.diagnostics);
    // A workspace that looks renamed is not declared a second time.
    const undeclared = ((drift.unmanaged ?? []) as string[]).filter(
      (address) => !notAccepted.some(({ message }) => message.includes(`${address}, which no file declares`)),
    );
    const writes = service.requests.filter(({ method }) => method !== 'GET');
    if (left.length + undeclared.length + writes.length > 0)
      failures.push(JSON.stringify([accepted, left, undeclared, writes, text]));
  });
  expect(failures).toEqual([]);
});

interface Reported {
  readonly severity?: string;
  readonly code?: string;
  readonly address?: string;
}

/** The changes and errors of a plan that no diagnostic reports. */
function unreported(
  plan: { readonly changes?: readonly Reported[]; readonly diagnostics?: readonly Reported[] },
  diagnostics: readonly Reported[],
): string[] {
  const named = ({ address, code }: Reported) => address ?? code ?? '';
  const reported = new Set(diagnostics.map(named));
  const errors = (plan.diagnostics ?? []).filter(({ severity }) => severity === 'error');
  return [...errors, ...(plan.changes ?? [])].map(named).filter((one) => !reported.has(one));
}
