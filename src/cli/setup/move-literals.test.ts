import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { perTest } from "../../../test/support/disposables.ts";
import { fakePrompt } from "../../../test/support/fake-terminal.ts";
import { temporaryFolder } from "../../../test/support/workbench.ts";
import { parseDotenv, variablesOf } from "../../secrets/dotenv.ts";
import { moveLiterals } from "./move-literals.ts";

const disposables = perTest();

const BEFORE = `{
  "toolboxes": {
    "dev": {
      "description": "Tools",
      "mcpServers": {
        "hub": {
          "command": "hub", // started by the workbench
          "args": ["--verbose", /* for tests */ "--api-key", "k3y-v4lue-1234", 7],
          "env": {
            // read only
            "GITHUB_TOKEN": "t0ken-v4lue-1234", /* from Ada */
            "PORT": 3000,
            "DB_PASSWORD": "pa$\${X}ss-w0rd"
          }
        }
      }
    }
  }
}
`;

describe("moving the secrets of a configuration to a file", () => {
  it("changes nothing but the secrets, also between comments and numbers", async () => {
    const folder = temporaryFolder(disposables);
    const file = join(folder, "workbench-config.json");
    writeFileSync(file, BEFORE, { mode: 0o600 });
    const { out } = fakePrompt(false);
    const env = { HOME: folder, GITHUB_TOKEN: "a different one" };
    const moved = await moveLiterals({ env, out }, file, "env-file");
    expect(readFileSync(file, "utf8")).toBe(
      BEFORE.replace("k3y-v4lue-1234", "${HUB_API_KEY}")
        .replace("t0ken-v4lue-1234", "${HUB_GITHUB_TOKEN}")
        .replace("pa$${X}ss-w0rd", "${DB_PASSWORD}"),
    );
    const stored = variablesOf(parseDotenv(readFileSync(join(folder, "secrets.env"), "utf8")));
    expect(Object.fromEntries(stored)).toEqual({
      HUB_API_KEY: "k3y-v4lue-1234",
      HUB_GITHUB_TOKEN: "t0ken-v4lue-1234",
      DB_PASSWORD: "pa${X}ss-w0rd",
    });
    expect([...moved].toSorted()).toEqual([...stored.values()].toSorted());
  });
});
