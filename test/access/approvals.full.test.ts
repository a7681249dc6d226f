/** Approvals of calls whose server asks for input. Everything else is in approvals.test.ts. */
import { expect, it, vi } from "vitest";
import type { Message, Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import { inProcessClient, inProcessWorkbench } from "../support/in-process-clients.ts";
import { everything } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

interface Form {
  readonly params: { readonly requestedSchema: { readonly properties: object } };
}

it("a call of a modern client is approved once, although its server asks for input", async () => {
  vi.stubEnv("XDG_STATE_HOME", temporaryFolder(cleanup));
  cleanup.defer(async () => void vi.unstubAllEnvs());
  const at = { toolbox: "dev", server: "ev" };
  const workbench = await inProcessWorkbench(cleanup, {
    policy: { default: "ask" },
    toolboxes: { dev: { description: "d", mcpServers: { ev: everything("modern") } } },
  });
  const cell = { mode: "proxy", era: "modern", transport: "stdio" } as const;
  const request = await inProcessClient(cleanup, workbench, cell, at, {
    elicitation: { form: {} },
  });
  const tool = { ...at, name: "test_input_required_result_elicitation" };
  const forms: string[] = [];
  /** Makes the call, and answers forms until it has a result. */
  async function call(more: Params): Promise<Message> {
    const answer = await request("tools/call", {
      name: "use_tool",
      arguments: { tool, arguments: {} },
      ...more,
    });
    const { inputRequests, requestState } = answer.result ?? {};
    if (inputRequests === undefined) return answer;
    const inputResponses: Record<string, object> = {};
    for (const [key, form] of Object.entries(inputRequests as Readonly<Record<string, Form>>)) {
      const [field = ""] = Object.keys(form.params.requestedSchema.properties);
      forms.push(field);
      inputResponses[key] = { action: "accept", content: { [field]: "once" } };
    }
    return call({ inputResponses, ...(requestState !== undefined && { requestState }) });
  }
  expect((await call({})).result?.content?.[0]?.text).toBe("Hello, once!");
  expect(forms).toEqual(["decision", "name"]);
  // Input that the server has not asked for does not continue a call.
  await call({ inputResponses: { user_name: { action: "accept", content: { name: "x" } } } });
  expect(forms.slice(2)).toContain("decision");
});
