/** What a token may not use does not exist for it: the most likely requests; scope-escapes.full.test.ts has all. */
import { compareScopes } from "../support/compare-scopes.ts";

compareScopes("proxy", ["/mcp"], 2);
