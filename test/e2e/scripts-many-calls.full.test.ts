/**
 * A thousand calls of real servers in one script; `npm test` has a few calls of fixtures
 * (scripts.test.ts).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { runRaw, valueOf } from "../support/scripts.ts";
import { dev, publicServer, withOptions } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

describe("a script with a thousand calls", () => {
  it("makes all of them against three real servers, and returns a few characters", async () => {
    const folder = temporaryFolder(cleanup);
    mkdirSync(join(folder, "files"));
    for (let i = 0; i < 100; i++)
      writeFileSync(join(folder, "files", `${i}.txt`), `${i}\n${"text ".repeat(200)}`);
    const servers = {
      every: publicServer("everything"),
      memory: withOptions(publicServer("memory"), {
        env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
      }),
      files: publicServer("filesystem", folder),
    };
    // Its limit counts the time that its thread waits for a processor, too.
    const scripts = { cpuMs: 600_000 };
    const { client } = await startWorkbench(cleanup, dev(servers, { scripts }));
    const script = `
      const sums = await Promise.all(Array.from({ length: 400 }, (_, i) =>
        call("dev/every/get-sum", { a: i, b: 1 })));
      let characters = 0;
      for (let round = 0; round < 5; round++)
        for (let i = 0; i < 100; i++) {
          const { content } = await call("dev/files/read_text_file", { path: ${JSON.stringify(folder)} + "/files/" + i + ".txt" });
          characters += content.length;
        }
      for (let i = 0; i < 50; i++)
        await tools.dev.memory.create_entities({ entities: [{ name: "e" + i, entityType: "t", observations: [] }] });
      const graphs = await Promise.all(Array.from({ length: 50 }, () => tools.dev.memory.read_graph({})));
      return { last: sums[399], characters, entities: graphs[49].entities.length };`;
    const result = await runRaw(client, script);
    expect(valueOf(result)).toEqual({
      last: "The sum of 399 and 1 is 400.",
      // A thousand characters, a line break and the number itself.
      characters: 5 * (100 * 1001 + 10 + 90 * 2),
      entities: 50,
    });
    expect(result._meta?.["mcp-workbench/script"]).toMatchObject({ calls: 1000 });
    expect(result.content[0]?.text?.length).toBeLessThan(100);
  });
});
