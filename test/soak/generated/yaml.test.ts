// The tests of the fast tier with a drawn seed and more cases.
import '../../desired/read-yaml.test.ts';
import '../../desired/removed-values.test.ts';
