// The tests of the fast tier with a drawn seed, more cases and a larger organization.
import '../../import/round-trip.test.ts';
import '../../import/faithful.test.ts';
