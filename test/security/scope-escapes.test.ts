/** What a token may not use does not exist for it: the two modes, with the most likely spellings; all are in scope-escapes.full.test.ts. */
import { compareScopes } from "../support/compare-scopes.ts";

compareScopes("proxy", ["/mcp"], 2);
compareScopes("dynamic", ["/mcp"], 2);
