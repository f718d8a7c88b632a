// The tests of the fast tier with a drawn seed and more cases.
import '../../emulator/random-writes.test.ts';
