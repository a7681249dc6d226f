/** What holds for `run_script` with every client. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolResult } from "../support/calls.ts";
import { connect } from "../support/clients/connect.ts";
import type { ClientKind, FidelityClient, Json } from "../support/clients/matrix-client.ts";
import { perBlock } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { errorOf, runScript, scriptParams, valueOf } from "../support/scripts.ts";
import { dev, everything, fixture } from "../support/servers.ts";
import { type Place, prepareWorkbench } from "../support/workbench.ts";

const CONFIG = dev(
  { fx: fixture(), old: everything("legacy"), new: everything("modern") },
  { policy: { rules: [{ tools: ["fx/big"], action: "ask", reason: "it is big" }] } },
);

/** Adds the tests for these clients to the file that calls it. */
export function describeScripts(clients: readonly ClientKind[]): void {
  describe.each(clients)("a script of the client %s", (kind) => {
    const cleanup = perBlock();
    let place: Place;
    let client: FidelityClient;
    beforeAll(async () => {
      place = prepareWorkbench(cleanup, CONFIG);
      const { command, args, env, home: cwd } = place;
      client = await connect(kind, { transport: "stdio", command, args, env, cwd });
    });
    afterAll(() => client.close());

    it("calls tools under both notations, and only its value comes back", async () => {
      const { tools } = (await client.request("tools/list")) as unknown as {
        tools: { name: string }[];
      };
      expect(tools.map(({ name }) => name)).toContain("run_script");
      const result = await runScript(
        client,
        `const texts = await Promise.all(input.texts.map((text) => tools.dev.fx.echo({ text })));
       const last = await call("dev/fx/echo", { text: "4" });
       const { n } = await tools.dev.fx.structured({ value: { n: 5 } });
       return { texts, last, n };`,
        { texts: ["a", '{"b":2}', "12345678901234567890"] },
      );
      expect(result.content).toHaveLength(1);
      // A text that is JSON is parsed, unless numbers would lose digits.
      expect(valueOf(result)).toEqual({
        texts: ["a", { b: 2 }, "12345678901234567890"],
        last: 4,
        n: 5,
      });
      expect(result._meta?.["mcp-workbench/script"]).toMatchObject({ calls: 5 });
    });

    it("may be TypeScript, and prints after its value", async () => {
      const { content } = await runScript(
        client,
        `interface Item { readonly n: number }
       const items: Item[] = [{ n: 1 }, { n: 2 }];
       const sum = (xs: readonly Item[]): number => xs.reduce((a, x) => a + x.n, 0);
       console.log("items", items.length, { a: 1 });
       return \`sum \${sum(items) as number}\`;`,
      );
      expect(content).toEqual([
        { type: "text", text: "sum 3" },
        { type: "text", text: 'console:\nitems 2 {"a":1}' },
      ]);
    });

    it("gets handles instead of media, and emits the original blocks", async () => {
      const result = await runScript(
        client,
        `const blocks = await tools.dev.fx.rich();
       for (const block of blocks) if (block.$media) emit(block);
       return blocks;`,
      );
      const blocks = valueOf(result) as Json[];
      expect(blocks[0]).toEqual({ $media: "m1", mimeType: "image/png", bytes: 70 });
      expect(blocks[4]).toEqual({
        $media: "m3",
        uri: "fixture://item/3",
        mimeType: "application/octet-stream",
        bytes: 3,
      });
      expect(blocks[6]).toBe("with annotations");
      expect(JSON.stringify(blocks)).not.toContain("iVBOR");
      expect(result.content.slice(1)).toMatchObject([
        {
          type: "image",
          data: expect.stringMatching(/^iVBOR.{91}$/),
          _meta: { "fixture/block": 1 },
        },
        { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "fixture://item/3", blob: "AAEC" } },
      ]);
    });

    it("fails with the position, the line and the calls that ran", async () => {
      const failed = await runScript(
        client,
        `await tools.dev.fx.echo({ text: "a" });
await tools.dev.fx.structured({ value: {} });
try {
  await tools.dev.fx.tool_error();
} catch (error) {
  if (!(error instanceof ToolError) || error.tool !== "dev/fx/tool_error") throw error;
}
  undefined.x;`,
      );
      const lines = errorOf(failed).split("\n");
      expect(lines[0]).toMatch(/^TypeError: .*undefined.* at line 8:3$/);
      expect(lines[1]).toBe("8 |   undefined.x;");
      expect(lines[3]).toBe(
        "Calls that ran: 3 (dev/fx/echo, dev/fx/structured, dev/fx/tool_error (failed))",
      );
      // The server says that `structured` only reads, but it is not trusted.
      expect(lines[4]).toBe(
        "May have changed something: 3 (dev/fx/echo, dev/fx/structured, dev/fx/tool_error)",
      );
      const thrown = errorOf(await runScript(client, `\nawait tools.dev.fx.nothing({});`));
      expect(thrown).toMatch(/^ToolError: Tool 'nothing' not found in server 'fx'[^]* at line 2:7/);
    });

    it.each(["old", "new"])("lets the server %s ask the client, and goes on", async (server) => {
      const before = client.inbox.questions.length;
      const result = await runScript(
        client,
        `const first = await tools.dev.fx.echo({ text: "kept" });
       const [name, model] = await Promise.all([
         call("dev/${server}/test_input_required_result_elicitation"),
         call("dev/${server}/test_input_required_result_sampling"),
       ]);
       const rounds = await call("dev/${server}/test_input_required_result_multi_round");
       return [first, name, model, rounds];`,
      );
      expect(valueOf(result)).toEqual([
        "kept",
        "Hello, Ada!",
        "The model says: Hello from the model",
        "Ada likes red",
      ]);
      const asked = client.inbox.questions.slice(before);
      expect(asked).toHaveLength(4);
      expect(JSON.stringify(asked[0])).toContain(`[dev/${server}]`);
    });

    it("asks for approval of a call inside it, and goes on", async () => {
      const { answer } = client.inbox;
      const forms: string[] = [];
      client.inbox.answer = (_method, params) => {
        forms.push(String((params as Json)["message"]));
        return { action: "accept", content: { decision: forms.length === 1 ? "once" : "deny" } };
      };
      try {
        const result = await runScript(
          client,
          `const sizes = [];
         for (const bytes of [3, 4]) {
           try { sizes.push((await call("dev/fx/big", { bytes })).length); }
           catch (error) { sizes.push(error.code); }
         }
         return sizes;`,
        );
        expect(valueOf(result)).toEqual([3, "POLICY_DENIED"]);
      } finally {
        client.inbox.answer = answer;
      }
      expect(forms).toHaveLength(2);
      expect(forms[0]).toMatch(/'big'[^]*bytes: 3[^]*it is big/);
    });

    it("does not run from the start if it no longer waits for input", async () => {
      // As after a restart of the workbench: the state is that of an earlier process.
      const params = { ...scriptParams("return 1"), requestState: "workbench-0-0" };
      const refused = (await client.request("tools/call", params)) as unknown as ToolResult;
      expect(errorOf(refused)).toContain("the script is no longer waiting for input");
    });

    it("reports its calls as progress", async () => {
      const messages: unknown[] = [];
      const abort = new AbortController();
      const witness = place.witness("dev", "fx");
      const seen = (word: string): number =>
        witness.messages().filter((message) => JSON.stringify(message).includes(`"${word}"`))
          .length;
      const [cancelled, sleeping] = [seen("notifications/cancelled"), seen("sleep")];
      // A client may drop progress that arrives together with the answer, so there is none.
      const call = client.request(
        "tools/call",
        scriptParams(
          `await tools.dev.fx.echo({ text: "a" }); await tools.dev.fx.sleep({ ms: 60_000 });`,
        ),
        {
          onProgress: ({ progress, message }) => messages.push([progress, message]),
          signal: abort.signal,
        },
      );
      call.catch(() => {});
      await waitFor(() => messages.length > 0, GENEROUS_MS, "the progress");
      expect(messages[0]).toEqual([1, "dev/fx/echo"]);
      await waitFor(() => seen("sleep") > sleeping, GENEROUS_MS, "the second call");
      abort.abort("enough");
      await expect(call).rejects.toBeDefined();
      await waitFor(
        () => seen("notifications/cancelled") > cancelled,
        GENEROUS_MS,
        "the cancellation",
      );
    });

    it("ends when it is cancelled, with all of its calls", async () => {
      const abort = new AbortController();
      const witness = place.witness("dev", "fx");
      const sent = (method: string): number =>
        witness.messages().filter((message) => JSON.stringify(message).includes(`"${method}"`))
          .length;
      const [before, sleeping] = [sent("notifications/cancelled"), sent("sleep")];
      const call = client.request(
        "tools/call",
        scriptParams(
          `await Promise.all([1, 2, 3].map((ms) => tools.dev.fx.sleep({ ms: 60_000 + ms })));`,
        ),
        { signal: abort.signal },
      );
      call.catch(() => {});
      await waitFor(() => sent("sleep") >= sleeping + 3, GENEROUS_MS, "the calls");
      abort.abort("enough");
      await expect(call).rejects.toBeDefined();
      await waitFor(
        () => sent("notifications/cancelled") === before + 3,
        GENEROUS_MS,
        "the cancellations",
      );
      expect(valueOf(await runScript(client, "return 1"))).toBe(1);
    });
  });
}
