// What the style guide does not use, with what to write instead.

/** Neither in texts nor in names. */
const words = [
  ['houses?|rooms?', 'architecture, module, layer; of a disk: space'],
  ['laws?', 'invariant'],
  ['tells?|telling|told|untold|foretell|says?|saying|said', 'report, print, show, return'],
  ['judges?|judged|judging', 'validate, check, evaluate'],
  ['way back|go it', 'undo, revert'],
  ['moved on', 'changed since the plan; stale plan'],
  ['surplus', 'undeclared'],
  ['settles?|settled|settling', 'normalize, resolve; of a request: finish'],
  ['plants?|planted|planting', 'seed, create'],
  ['shortfalls?', 'unsupported setting'],
  ['(?:look|looks|looked|looking) again', 're-read, recheck'],
  ['(?:take|takes|took|taken|taking) away', 'remove, revoke'],
  ['mends?|mended|mending', 'fix'],
  ['by hand', 'manually'],
  ['nobody|somebody', 'no user, another user; of a value: server-computed'],
  ['whoever', 'the subject: the user, the caller, the token'],
  ['first steps', 'getting started'],
];

/** Not in texts: headless clauses, personified files, inverted word order. */
const phrases = [
  ['(?:an?|its|the) yes', 'confirmation'],
  ['in the place of|in (?:its|their) place', 'instead of, overrides'],
  ['what (?:stdout|no file|an? file|the files?|nothing|is not|is left|is done|is live|comes|goes)', 'a noun'],
  ['stands?|standing|stood', 'is, applies, is declared'],
  ['(?:goes|go|went|gone) along', 'is included, is sent with'],
  ['as such|so to speak|as it were', 'nothing'],
  ['(?<!there )(?:is|are|was|were) no(?= (?!longer|more)\\w)', 'is not a'],
  ['(?:comes|come|came) back', 'is restored, is returned'],
  ['of (?:its|their|his) own', 'its own, separate'],
  ['anew|thereof|therein|wherein|lest', 'again, in it'],
  ['(?:minds|wishes|speaks|spoken)', 'supports, accepts, uses'],
  [
    '(?:files?|plans?|journals?|programs?|pages?|tokens?) (?:knows?|wants?|asks?|thinks?)',
    'the user or a passive',
  ],
];

const whole = (pattern) => `(?<![\\w-])(?:${pattern.replaceAll(' ', '\\s+')})(?![\\w-])`;
/** `any` matches where one of `each` does: most texts are checked with it alone. */
const compile = (rows) => ({
  any: new RegExp(whole(rows.map(([pattern]) => pattern).join('|')), 'i'),
  each: rows.map(([pattern, instead]) => ({ pattern: new RegExp(whole(pattern), 'gi'), instead })),
});
export const namePatterns = compile(words);
export const textPatterns = compile([...words, ...phrases]);

/** Names of the platform. */
export const platformNames = /^(?:allSettled|PromiseSettledResult|floor)$/;
