import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';
import type { GivenValues, OwnValues } from './read-attributes.ts';

const prefixes = 'trigger-prefixes';
const patterns = 'trigger-patterns';

/**
 * The live service supports one way to trigger at a time: prefixes, patterns or Git tags. A list that is sent alone, an
 * empty one included, clears the other; two filled lists are refused. The interface document has no such rule, so it does not apply to the iac dialect.
 */
export function resolveOwnTriggers(
  own: OwnValues,
  given: GivenValues,
): { readonly own: OwnValues; readonly errors: ErrorObject[] } {
  const resolved = { ...own };
  const [hasPrefixes, hasPatterns] = [isFilled(given[prefixes]), isFilled(given[patterns])];
  if (given[patterns] === undefined && given[prefixes] !== undefined) resolved[patterns] = [];
  if (given[prefixes] === undefined && given[patterns] !== undefined) resolved[prefixes] = [];
  const errors: ErrorObject[] = [];
  if (hasPrefixes && hasPatterns) {
    errors.push(
      invalid(
        '/data/attributes/trigger-patterns',
        "'trigger_patterns' and 'trigger_prefixes' cannot both be populated.",
      ),
    );
  }
  if (isFilled(resolved[patterns]) && resolved['file-triggers-enabled'] === false) {
    errors.push(
      invalid(
        '/data/attributes/trigger-patterns',
        "'trigger_patterns' cannot be populated when 'file_triggers_enabled' is set to false.",
      ),
    );
  }
  if (resolved['vcs-repo.tags-regex'] && (given['vcs-repo.tags-regex'] || hasPrefixes || hasPatterns)) {
    errors.push(...regexErrors(resolved));
  }
  return { own: resolved, errors };
}

function* regexErrors(resolved: OwnValues): Generator<ErrorObject> {
  const pointer = '/data/attributes/vcs-repo/tags-regex';
  if (isFilled(resolved[patterns]) || isFilled(resolved[prefixes])) {
    yield invalid(pointer, "'tags_regex' cannot be populated together with trigger patterns or prefixes.");
  }
  if (resolved['file-triggers-enabled'] === true) {
    yield invalid(pointer, "'tags_regex' cannot be populated when 'file_triggers_enabled' is set to true.");
  }
}

function isFilled(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
