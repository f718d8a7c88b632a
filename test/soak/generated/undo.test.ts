// The tests of the fast tier with a drawn seed and more cases.
import '../../undo/undo-invariant.test.ts';
import '../../undo/named-runs.test.ts';
import '../../undo/interrupted.test.ts';
