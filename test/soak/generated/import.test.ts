// The tests of the fast tier with a drawn seed, more cases, a larger organization and every seed in both dialects.
import '../../write/round-trip.test.ts';
import '../../write/faithful.test.ts';
import '../../write/seeds.test.ts';
import '../../write/manual-changes.test.ts';
