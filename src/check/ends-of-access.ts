import { type Diagnostic, warning } from '../model/diagnostic.ts';
import { findAmong, identity, resourcesOf } from '../model/state.ts';
import type { Check } from './check.ts';

/** With `--base`: access whose end the files remove or delay, also by removing the grant while the access can be live. */
export const endsOfAccess: Check = {
  codes: ['rule-changed'],
  except: [],
  find({ configuration: { desired, base, roots }, plan: { noLongerDeclared = [] } }) {
    const former = resourcesOf(base?.declared?.desired.resources.values() ?? [], 'team-access');
    const now = findAmong(desired.resources.values());
    const dropped = new Set(noLongerDeclared.map(({ address }) => address));
    return former.flatMap((grant): Diagnostic[] => {
      const { address, declared: { until } = {} } = grant;
      const head = now(identity(grant));
      if (until === undefined) return [];
      if (head === undefined) {
        if (!dropped.has(address)) return [];
        const root = roots?.find((one) => one.base?.declared?.desired.resources.has(address))?.file;
        const removed = `this change removes until of ${address} with the grant: live access no longer ends`;
        return [warning('rule-changed', removed, { at: { address, root } })];
      }
      const { until: end, absent, locations } = head.declared ?? {};
      if (end === undefined ? absent : end.time <= until.time) return [];
      const what = end ? 'extends' : 'removes';
      const dates = end ? ` from ${until.written} to ${end.written}` : '';
      const at = { address: head.address, location: locations?.until ?? head.location };
      return [warning('rule-changed', `this change ${what} until of ${head.address}${dates}`, { at })];
    });
  },
};
