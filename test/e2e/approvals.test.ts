/** Approvals over HTTP: each belongs to one token, and a call waits while `approvals --watch` runs. */
import type { ChildProcess } from "node:child_process";
import { describe, expect, it } from "vitest";
import { addToken, clientWith } from "../support/access-tokens.ts";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { type HttpClient, useTool } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { fixture, toolbox } from "../support/servers.ts";

const cleanup = perTest();

describe("approvals of clients with access tokens", () => {
  it("belong to one of them, and are awaited while a person watches", async () => {
    const rules = [{ tools: ["fx/echo"], action: "ask" }];
    const workbench = await startHttpWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ fx: fixture() }) },
      policy: { rules },
    });
    const at = { home: workbench.home, cwd: workbench.home, env: workbench.env };
    const client = async (name: string): Promise<HttpClient> => {
      const created = clientWith(workbench, await addToken(workbench, name));
      expect((await created.initialize()).status).toBe(200);
      return created;
    };
    const [ci, laptop] = [await client("ci"), await client("laptop")];
    const call = async (by: HttpClient): Promise<string> => {
      const { result } = await by.ask("tools/call", useTool("dev/fx/echo", { text: "hi" }));
      return (result as { content: { text: string }[] }).content[0]?.text ?? "";
    };
    const idIn = (text: string): string => /approve ([A-Z2-9]{6})/.exec(text)?.[1] ?? text;
    const approve = async (id: string): Promise<void> =>
      expect((await runCli(at, ["approve", id, "--yes"])).stderr).toContain("Allowed: echo");

    // No person watches and no form can be shown, so the call fails at once.
    const first = idIn(await call(ci));
    await approve(first);
    const other = idIn(await call(laptop));
    expect(other).toMatch(/^[A-Z2-9]{6}$/);
    expect(other).not.toBe(first);
    expect(await call(ci)).toBe("hi");

    const shown: { id: string; client: string }[] = [];
    let onShown = (): void => {};
    let watcher: ChildProcess | undefined;
    const shownFor = (client: string): Promise<string> =>
      new Promise((resolve) => {
        onShown = () => {
          const found = shown.find((one) => one.client === client);
          if (found !== undefined) resolve(found.id);
        };
        onShown();
      });
    const watched = runCli(at, ["approvals", "--watch", "--json"], {
      running: (child) => {
        watcher = child;
        let rest = "";
        child.stdout?.on("data", (chunk: Buffer) => {
          const lines = (rest + chunk.toString()).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) shown.push(JSON.parse(line) as (typeof shown)[number]);
          onShown();
        });
      },
    });
    // What it shows first was asked before; now it is known that a person watches.
    expect(await shownFor("laptop")).toBe(other);
    const waiting = call(ci);
    await approve(await shownFor("ci"));
    expect(await waiting).toBe("hi");
    watcher?.kill("SIGTERM");
    expect((await watched).code).toBe(0);
  });
});
