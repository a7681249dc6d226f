/** An answer that cannot be used is the fault of the server, and commands say so. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliPlace, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { scriptServer } from "../support/script-server.ts";
import { toolbox } from "../support/servers.ts";

const cleanup = perTest();

const DEEP = 50_000;
const RESULTS: [what: string, result: string, reason: string][] = [
  [
    "too deep",
    `'{"content":[],"structuredContent":' + '{"a":'.repeat(${DEEP}) + 1 + "}".repeat(${DEEP}) + "}"`,
    "it is over 128 levels deep",
  ],
  [
    "not JSON",
    `'{"content":[{"type":"text","text":"' + "x".repeat(20_000) + '"]]}'`,
    "it is not JSON",
  ],
];

describe("call", () => {
  it.each(RESULTS)("names the server whose result is %s", async (_what, result, reason) => {
    const fx = scriptServer(
      cleanup,
      `serve({ ...legacy({ tools: {} }), "tools/call": (_, id) =>
         void process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + ${result} + "}\\n") });`,
    );
    const place = cliPlace(cleanup);
    const config = join(place.home, "results.json");
    writeFileSync(config, JSON.stringify({ toolboxes: { dev: toolbox({ fx }) } }));
    const { code, stderr } = await runCli(place, ["call", "dev/fx/hello", "--config", config]);
    expect(stderr).toContain(`server 'fx' in toolbox 'dev' was rejected: ${reason}`);
    expect(code).toBe(4);
  });
});
