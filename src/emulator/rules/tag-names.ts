import type { Dialect } from '../../model/dialect.ts';

const liveTag = /^[a-z0-9](?:[a-z0-9_:-]*[a-z0-9])?$/;
const longest = 255;

/** A tag as it is stored: the live service lower-cases it without a word, the interface document does not. */
export function storedTagName(name: string, dialect: Dialect): string {
  return dialect === 'terraform' ? name.toLowerCase() : name;
}

/** Why a stored name cannot be a tag; undefined where it can. */
export function tagNameProblem(name: string, dialect: Dialect): string | undefined {
  if (name.trim() === '') return "can't be blank";
  if (name.length > longest) return `is too long (maximum is ${longest} characters)`;
  if (dialect === 'terraform' && !liveTag.test(name)) {
    return 'Tags must only contain letters, numbers, colons, hyphens and underscores';
  }
  return undefined;
}
