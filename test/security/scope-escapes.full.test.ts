/**
 * What a token may not use does not exist for it, at every address and in every spelling. In the full
 * suite because it sends thousands of requests; scope-escapes.test.ts has the most likely ones.
 */
import { compareScopes } from "../support/compare-scopes.ts";

for (const mode of ["proxy", "dynamic"] as const)
  compareScopes(
    mode,
    ["/mcp", "/mcp/dev", "/mcp/lab", "/mcp/dev/open", "/mcp/lab/open2"],
    Infinity,
  );
