import { AttuneError } from '../model/attune-error.ts';
import type { Call } from '../model/plan.ts';
import { joinedBody } from '../service/call-codec.ts';
import type { ServiceClient } from '../service/client.ts';
import type { LookUpResult, SendOptions } from '../service/exchange.ts';

/** The place of one call in a request that is sent for several changes. */
export interface JointRequest {
  /** Once each of the others has arrived or left. If the answer is lost, the look-up of each call decides its own result. */
  send(call: Call, options: SendOptions, client: Pick<ServiceClient, 'send'>): Promise<undefined>;
  leave(): void;
}

/** The service refused a request as a whole, so that each of its calls has to be made in another way. */
export class JointRefusal extends AttuneError {
  override readonly name = 'JointRefusal';
}

interface Part extends Pick<SendOptions, 'lookUp'> {
  readonly call: Call;
  found?: LookUpResult | undefined;
}

/** The places of a request that is sent for so many changes. All calls have one method and path, and a list as body. */
export function jointRequests(places: number): JointRequest[] {
  const parts: Part[] = [];
  let awaited = places;
  let complete: () => void = () => undefined;
  const isComplete = new Promise<void>((resolve) => {
    complete = resolve;
  });
  let sent: Promise<unknown> | undefined;
  return Array.from({ length: places }, () => {
    let isAwaited = true;
    const leave = () => {
      if (!isAwaited) return;
      isAwaited = false;
      awaited -= 1;
      if (awaited === 0) complete();
    };
    return {
      leave,
      async send(call, { lookUp }, client) {
        const part: Part = { call, ...(lookUp && { lookUp }) };
        parts.push(part);
        leave();
        await isComplete;
        sent ??= sendTogether(parts, client);
        try {
          await sent;
        } catch (error) {
          if (part.found === undefined || part.found.unknown !== undefined) throw error;
        }
        return undefined;
      },
    };
  });
}

async function sendTogether(parts: readonly Part[], client: Pick<ServiceClient, 'send'>): Promise<void> {
  const [first] = parts;
  if (first === undefined) return;
  await client.send(
    { ...first.call, body: joinedBody(parts.map(({ call }) => call.body)) },
    { repeatable: true, lookUp: async () => lookUpAll(parts) },
  );
}

/** The request took effect if each of its calls did, and did not if none of them did. */
async function lookUpAll(parts: readonly Part[]): Promise<LookUpResult | undefined> {
  await Promise.all(
    parts.map(async (part) => {
      part.found = await part.lookUp?.().catch((error: unknown) => ({ unknown: String(error) }));
    }),
  );
  const found = parts.flatMap((part) => part.found ?? []);
  if (found.length === 0) return undefined;
  const unknown = found.find((one) => one.unknown !== undefined)?.unknown;
  if (unknown === undefined && found.length === parts.length) return {};
  return { unknown: unknown ?? 'it took effect on some of the changes only' };
}
