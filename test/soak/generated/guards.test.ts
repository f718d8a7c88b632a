// The tests of the fast tier with a drawn seed and more cases.
import '../../properties/root-guards.test.ts';
import '../../properties/second-actor.test.ts';
