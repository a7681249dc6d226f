/** Approvals with real clients: over HTTP with two tokens and `approvals --watch`, and in forms of the official SDKs. */
import type { ChildProcess } from "node:child_process";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { addToken, clientWith } from "../support/access-tokens.ts";
import { runCli } from "../support/cli.ts";
import { connect } from "../support/clients/connect.ts";
import { perTest } from "../support/disposables.ts";
import {
  type Answer,
  type Begun,
  type HttpClient,
  LEGACY,
  type Message,
  messagesIn,
} from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { prepareWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

describe("approvals of clients with access tokens", () => {
  it("belong to one of them, and are awaited while a person watches", async () => {
    const rules = [{ tools: ["fx/echo"], action: "ask" }];
    const workbench = await startHttpWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ fx: fixture() }) },
      policy: { rules },
      // The call waits until `approve` has started, however long that takes.
      approvals: { waitMs: 600_000 },
    });
    const at = { home: workbench.home, cwd: workbench.home, env: workbench.env };
    const client = async (name: string): Promise<HttpClient> => {
      const created = clientWith(workbench, await addToken(workbench, name));
      expect((await created.initialize()).status).toBe(200);
      return created;
    };
    const [ci, laptop] = [await client("ci"), await client("laptop")];
    const call = async (by: HttpClient): Promise<string> => {
      const { result } = await by.ask("tools/call", useToolParams("dev/fx/echo", { text: "hi" }));
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

describe("the same call in two sessions of one access token", () => {
  it("is asked about and answered in each of them", async () => {
    const workbench = await startHttpWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ fx: fixture() }) },
      policy: { rules: [{ tools: ["fx/echo"], action: "ask" }] },
    });
    const token = await addToken(workbench, "ci");
    const session = async (): Promise<HttpClient> => {
      const client = clientWith(workbench, token);
      expect((await client.initialize(LEGACY, { elicitation: {} })).status).toBe(200);
      return client;
    };
    const [one, two] = [await session(), await session()];
    const call = (by: HttpClient, text: string): Begun =>
      by.request("tools/call", useToolParams("dev/fx/echo", { text }));
    const form = (begun: Begun): Promise<Message> => begun.method("elicitation/create");
    const answer = (by: HttpClient, { id }: Message, decision: string): Promise<Answer> =>
      by.respond(id, { action: "accept", content: { decision } });
    const textIn = async (begun: Begun): Promise<string> => {
      const { text } = await begun.done();
      const { result } = messagesIn(text).at(-1) ?? {};
      return result?.content?.[0]?.text ?? text;
    };
    const formsIn = (begun: Begun): number =>
      begun.messages.filter(({ method }) => method === "elicitation/create").length;

    const first = call(one, "hi");
    const asked = await form(first);
    const second = call(two, "hi");
    // The id of a question means nothing in another session.
    await answer(two, asked, "always");
    await answer(one, asked, "session");
    expect(await textIn(first)).toBe("hi");
    // What the first session may do says nothing about the second one, which waited for the same answer.
    await answer(two, await form(second), "deny");
    expect(await textIn(second)).toContain("the user denied it");

    const allowed = call(one, "more");
    expect(await textIn(allowed)).toBe("more");
    expect(formsIn(allowed)).toBe(0);
    const other = call(two, "more");
    await answer(two, await form(other), "once");
    expect(await textIn(other)).toBe("more");

    // A session that leaves takes its form with it. The same call elsewhere is asked about there.
    const third = await session();
    const left = call(third, "bye");
    await form(left);
    const stays = call(two, "bye");
    await third.leave();
    await answer(two, await form(stays), "once");
    expect(await textIn(stays)).toBe("bye");
  });
});

/** The clients of the official SDKs, over stdio. */
describe.each(["sdk-v1", "sdk-v2-legacy", "sdk-v2-modern"] as const)("a form in %s", (kind) => {
  it("lets a call pass with a decision only", async () => {
    const rules = [{ tools: ["fx/echo"], action: "ask", reason: "to be sure" }];
    const config = { toolboxes: { dev: toolbox({ fx: fixture() }) }, policy: { rules } };
    const place = prepareWorkbench(cleanup, config);
    const client = await connect(kind, {
      transport: "stdio",
      command: place.command,
      args: place.args,
      env: place.env,
      cwd: place.home,
    });
    cleanup.defer(() => client.close());
    const forms: unknown[] = [];
    const answers = [{ decision: "once" }, {}, { decision: "deny" }];
    client.inbox.answer = (_method, params) => {
      forms.push(params);
      return { action: "accept", content: answers[forms.length - 1] };
    };
    const tool = { toolbox: "dev", server: "fx", name: "echo" };
    const call = async (): Promise<string> => {
      const params = { name: "use_tool", arguments: { tool, arguments: { text: "hi" } } };
      const { content } = await client.request("tools/call", params);
      return (content as { text: string }[])[0]?.text ?? "";
    };
    expect(await call()).toBe("hi");
    expect(forms).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/'echo'[^]*text: hi[^]*to be sure/),
      }),
    ]);
    // An empty form is not an approval.
    expect(await call()).toContain("The user has to approve");
    expect(await call()).toContain("the user denied it");
    expect(forms).toHaveLength(3);
  });
});
