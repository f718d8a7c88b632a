// The tests of the fast tier with a drawn seed and more cases.
import '../../write/accept-all.test.ts';
