import type { OrganizationFacts } from '../../live/access-facts.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Configuration } from '../../model/configuration.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { CheckResult, CheckStatus } from '../../model/results.ts';
import type { Connection } from '../connect.ts';
import type { RunContext } from '../context.ts';

export interface Diagnosed {
  readonly configuration: Configuration;
  readonly file: string;
  readonly list: CheckList;
  readonly context: RunContext;
  readonly connect: () => Connection;
}

export interface ServiceFacts {
  readonly dialect: Dialect;
  readonly organization: OrganizationFacts;
}

/** The checks of one root file. A check that depends on a failed one is skipped with the reason. */
export type CheckList = ReturnType<typeof createCheckList>;

export function createCheckList() {
  let checks: readonly CheckResult[] = [];
  const adding = (status: CheckStatus) => (check: string, evidence: string, fix?: string) => {
    checks = [...checks, { check, status, evidence, fix }];
  };
  const fail = adding('failed');
  return {
    checks: (): readonly CheckResult[] => checks,
    ok: adding('ok'),
    warn: adding('warning'),
    fail,
    skip: adding('skipped'),
    skipOthers: (all: readonly string[], why: string): void => {
      checks = all.flatMap((check): readonly CheckResult[] => {
        const found = checks.filter((one) => one.check === check);
        return found.length > 0 ? found : [{ check, status: 'skipped', evidence: why }];
      });
    },
    async attempt<Result>(check: string, run: () => Result | Promise<Result>): Promise<Result | undefined> {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof AttuneError)) throw error;
        fail(check, error.message, error.hint ?? `run \`attune plan --verbose\` for the requests`);
        return undefined;
      }
    },
  };
}
