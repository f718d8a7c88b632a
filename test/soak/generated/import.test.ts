// The tests of the fast tier with a drawn seed, more cases, a larger organization and every seed in both dialects.
import '../../import/round-trip.test.ts';
import '../../import/faithful.test.ts';
import '../../import/seeds.test.ts';
