/**
 * What belongs to one replica and is asked for at another: calls that wait for input, scripts, tasks, stored results. In the full suite
 * because of its processes.
 */
import { beforeAll, describe, expect, it } from "vitest";

import { firstText, useToolParams } from "../support/calls.ts";
import { ClusterRig, HAS_CLUSTER } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpClient, type Message, messagesIn } from "../support/http-client.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { everything, fixture } from "../support/servers.ts";

const ELICITS = { elicitation: {} };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const ACCEPT = { action: "accept", content: { ok: true } };

type Params = Record<string, unknown>;

async function ask(
  client: HttpClient,
  method: string,
  params: Params,
  capabilities: Params = {},
): Promise<Message> {
  const { text } = await client.modern(method, params, { capabilities }).done();
  const answer = messagesIn(text).at(-1);
  if (answer === undefined) throw new Error(`no answer to ${method}: ${text}`);
  return answer;
}

/** Calls a tool that asks; returns the request that brings the answer. */
async function parked(client: HttpClient, params: Params): Promise<Params> {
  const { result } = await ask(client, "tools/call", params, ELICITS);
  expect(result).toMatchObject({ resultType: "input_required" });
  const [key = ""] = Object.keys(result?.["inputRequests"] as object);
  const requestState = result?.["requestState"];
  return { ...params, inputResponses: { [key]: ACCEPT }, requestState };
}

describe.skipIf(!HAS_CLUSTER)("what one replica has", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  let one: HttpClient;
  let other: HttpClient;
  beforeAll(async () => {
    rig = await ClusterRig.start(
      disposables,
      {
        toolboxes: {
          dev: {
            description: "Test tools.",
            mcpServers: { fx: fixture(), fy: fixture(), all: everything("modern") },
          },
        },
        scripts: { enabled: true },
        results: { limit: 10_000 },
      },
      { replicas: 3 },
    );
    [one, other] = [rig.clientOf(0), rig.clientOf(1)];
  });

  it("continues a call with the input that another got, once", async () => {
    const again = await parked(one, useToolParams("dev/fx/elicit", {}));
    const answer = await ask(other, "tools/call", again, ELICITS);
    expect(JSON.parse(firstText(answer) ?? "")).toEqual({ result: ACCEPT });
    const late = await ask(other, "tools/call", again, ELICITS);
    expect(late.error?.message).toContain("no longer waiting for input");
  });

  const SCRIPT =
    "const before = 7; const r = await tools.dev.fx.elicit({}); return [before, r.result.action];";
  const runScript = (script: string): Params => ({ name: "run_script", arguments: { script } });

  it("continues a script with the input that another got, whichever that is", async () => {
    const through = [...rig.replicas.map(({ index }) => rig.clientOf(index)), rig.client()];
    for (const client of through) {
      const again = await parked(one, runScript(SCRIPT));
      expect(firstText(await ask(client, "tools/call", again, ELICITS))).toBe('[7,"accept"]');
    }
  });

  it("continues a script that asks several times, each time through another", async () => {
    const twice = `const a = await tools.dev.fx.elicit({}); const b = await tools.dev.fx.elicit({});
      return [a.result.action, b.result.action];`;
    const first = await parked(one, runScript(twice));
    const { result } = await ask(other, "tools/call", first, ELICITS);
    expect(result).toMatchObject({ resultType: "input_required" });
    const [key = ""] = Object.keys(result?.["inputRequests"] as object);
    const state = { inputResponses: { [key]: ACCEPT }, requestState: result?.["requestState"] };
    const last = await ask(
      rig.clientOf(2),
      "tools/call",
      { ...runScript(twice), ...state },
      ELICITS,
    );
    expect(firstText(last)).toBe('["accept","accept"]');
  });

  it("does not continue a call at another address, or with a state that a client has changed", async () => {
    const again = await parked(one, useToolParams("dev/fx/elicit", {}));
    const elsewhere = rig.clientOf(1, "/mcp/dev");
    const refused = await ask(elsewhere, "tools/call", again, ELICITS);
    expect(refused.error?.message).toContain("no longer waiting for input");
    const state = String(again["requestState"]);
    const changed = { ...again, requestState: `${state.slice(0, -2)}AA` };
    expect(JSON.stringify(await ask(other, "tools/call", changed, ELICITS))).not.toContain(
      "accept",
    );
    expect(firstText(await ask(other, "tools/call", again, ELICITS))).toContain("accept");
  });

  it("answers for a task that was started through another", async () => {
    const start = useToolParams("dev/all/slow_compute", { seconds: 0.05, label: "mine" });
    const { result } = await ask(one, "tools/call", start, TASKS);
    const params = { taskId: result?.["taskId"] };
    const status = async (): Promise<unknown> =>
      (await ask(other, "tasks/get", params, TASKS)).result?.["status"];
    await waitFor(async () => (await status()) === "completed", GENEROUS_MS, "the task's end");
    const unknown = await ask(other, "tasks/get", { taskId: "unknown" }, TASKS);
    expect(unknown.error?.message).toBe('Task "unknown" not found');
  });

  it("gives another the results it has stored, and only those of the same client", async () => {
    const large = await ask(one, "tools/call", useToolParams("dev/fx/big", { bytes: 50_000 }));
    const id = /"(r\d{14})"/.exec(firstText(large) ?? "")?.[1] ?? "";
    expect(id).not.toBe("");
    const script = `return results.${id}.length`;
    const run = (client: HttpClient): Promise<Message> =>
      ask(client, "tools/call", runScript(script));
    expect(firstText(await run(other))).toBe("50000");
    const echo = useToolParams("dev/fx/echo", { text: { $result: id, path: undefined } });
    const echoed = await ask(other, "tools/call", echo);
    // The copy has the same id, and the echo of it is stored under a new one.
    expect(firstText(echoed)).toMatch(/"r\d{14}"/);
    const stranger = rig.clientOf(1);
    const meta = { "io.modelcontextprotocol/clientInfo": { name: "stranger", version: "1" } };
    const { text } = await stranger.modern("tools/call", runScript(script), { meta }).done();
    expect(firstText(messagesIn(text).at(-1))).toContain(`There is no stored result '${id}'`);
  });

  it("is lost with it, and a call or script that waited gets an error that says so", async () => {
    const waiting = [
      // A server that two calls share does not say which of them it asks for.
      await parked(one, useToolParams("dev/fy/elicit", {})),
      await parked(one, runScript(SCRIPT)),
    ];
    const large = await ask(one, "tools/call", useToolParams("dev/fx/big", { bytes: 50_000 }));
    const id = /"(r\d{14})"/.exec(firstText(large) ?? "")?.[1] ?? "";
    rig.replicas[0]?.kill("SIGKILL");
    await rig.replicas[0]?.exited;
    for (const again of waiting) {
      const lost = await ask(other, "tools/call", again, ELICITS);
      expect(lost.error?.message).toContain("may or may not have taken effect");
    }
    const script = `return results.${id}.length`;
    const gone = await ask(other, "tools/call", runScript(script));
    expect(firstText(gone)).toContain(id);
    expect(gone.result).toMatchObject({ isError: true });
  });
});
