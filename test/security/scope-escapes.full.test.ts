/** The same as in scope-escapes.test.ts at every address and in every spelling: thousands of requests. */
import { compareScopes } from "../support/compare-scopes.ts";

for (const mode of ["proxy", "dynamic"] as const)
  compareScopes(
    mode,
    ["/mcp", "/mcp/dev", "/mcp/lab", "/mcp/dev/open", "/mcp/lab/open2"],
    Infinity,
  );
