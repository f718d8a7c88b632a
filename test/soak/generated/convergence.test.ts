// The tests of the fast tier with a drawn seed and more cases.
import '../../properties/convergence.test.ts';
import '../../properties/split-roots.test.ts';
