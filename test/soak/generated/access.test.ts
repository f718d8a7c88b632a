// The same property with as many cases as the soak tier tries.
import '../../properties/access.test.ts';
