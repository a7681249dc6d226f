// Keeps the package from being published under the placeholder for the publisher's own name.
import { readFileSync } from "node:fs";

const { mcpName } = JSON.parse(readFileSync("package.json", "utf8"));

if (mcpName.startsWith("com.example/")) {
  console.error(
    `"mcpName" in package.json is still ${mcpName}. Put your own namespace there: io.github.OWNER/mcp-workbench, ` +
      "or your domain backwards. Then run 'npm run generate'. See CONTRIBUTING.md.",
  );
  process.exitCode = 1;
}
