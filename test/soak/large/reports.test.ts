// The tests of the fast tier with larger organizations.
import '../../report/html.test.ts';
import '../../report/markdown.test.ts';
