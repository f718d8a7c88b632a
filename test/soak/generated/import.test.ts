// The tests of the fast tier with a drawn seed, more cases and a larger organization.
import '../../write/round-trip.test.ts';
import '../../write/faithful.test.ts';
import '../../write/manual-changes.test.ts';
