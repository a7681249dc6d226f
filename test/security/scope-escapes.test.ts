/** What a token may not use does not exist for it: the two modes, with the most likely spellings. */
import { compareScopes } from "../support/compare-scopes.ts";

compareScopes("proxy", ["/mcp", "/mcp/lab/open2"], 4);
compareScopes("dynamic", ["/mcp"], 4);
