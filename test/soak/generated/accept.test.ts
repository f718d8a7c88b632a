// The tests of the fast tier with a drawn seed and more cases.
import '../../accept/accept-all.test.ts';
