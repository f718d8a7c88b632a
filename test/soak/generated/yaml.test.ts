// The tests of the fast tier with a drawn seed and more cases.
import '../../desired/pack-yaml.test.ts';
