import { unclearText } from '../../model/unclear-text.ts';
import type { Problem, Problems } from '../problems.ts';
import { quote } from '../quote.ts';

/** Warns about a name that can be mistaken for another one. */
export function judgeText(
  what: string,
  text: string,
  { problems, ...place }: Pick<Problem, 'address' | 'location'> & { readonly problems: Problems },
): void {
  const unclear = unclearText(text);
  if (!unclear) return;
  problems.add({
    severity: 'warning',
    code: unclear.code,
    message: `${what} ${quote(text)} ${unclear.why}`,
    hint: 'type it again, or copy the name that the service shows',
    ...place,
  });
}
