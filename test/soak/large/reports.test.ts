// The tests of the fast tier with larger organizations.
import '../../report/markdown.test.ts';
import '../../report/risk-first.test.ts';
