import { Policy } from "../../../src/access/policy/policy.ts";
import { policyStep } from "../../../src/access/policy/policy-step.ts";
import { type CallClient, ClientCall, type Route } from "../../../src/calls/call.ts";
import type { CallTarget, Destination } from "../../../src/calls/destination.ts";
import { type Outcome, result } from "../../../src/calls/outcome.ts";
import type { Principal } from "../../../src/calls/principal.ts";
import { parseConfigFast } from "../../../src/config/load.ts";
import type { WorkbenchSettings } from "../../../src/config/types.ts";
import { catalogueOf } from "../../../src/servers/tools/catalogue.ts";
import { classifyStrict } from "../../../src/wire/messages.ts";
import { type Case, SERVERS, jsonText } from "./policy-cases.ts";

/** Asks the policy step about a case. */

/** The server's own name of the tool; the configuration renames it if it can. */
const ownName = (name: string): string => (name.includes("/") ? name : "own");

export type Answer = "sent" | "ask" | "deny" | "not found";

export async function answerTo(given: Case): Promise<Answer> {
  const settings = settingsOf(given);
  const place = { toolbox: "dev", server: given.server };
  const own = settings.toolboxes.get("dev")?.servers.get(given.server);
  const { name, annotations } = given.tool;
  const value = { name: ownName(name), annotations };
  const listed = [{ value, text: JSON.stringify(value) }];
  const catalogue = catalogueOf(listed, {
    toolFilters: ["*"],
    overrides: own?.overrides ?? {},
    transport: { kind: "scripts", folder: "" },
  });
  const route = { catalogue } as unknown as Route;
  const server = { place, whenListed: () => Promise.resolve() } as unknown as CallTarget;
  const principal: Principal = { kind: "token", id: "t", ...given.client };
  const client = {
    principal,
    pipeline: {},
    connectionTo: () => route,
    connect: () => Promise.resolve(route),
  } as unknown as CallClient;
  const call = callOf(given, client, { server, name });
  const outcome = await policyStep(() => new Policy(settings))(call, () =>
    Promise.resolve(result("{}")),
  );
  return outcome.kind === "result" && call.decision?.action === "ask" ? "ask" : answerOf(outcome);
}

function callOf(
  given: Case,
  client: CallClient,
  at: { server: CallTarget; name: string },
): ClientCall {
  const isTool = given.method === "tools/call";
  const inner = jsonText(given.args, given.escapes);
  const id = { ...at.server.place, name: at.name };
  const params = isTool
    ? `{"name":"use_tool","arguments":{"tool":${JSON.stringify(id)},"arguments":${inner}}}`
    : '{"name":"x","uri":"x:/x","taskId":"1"}';
  const text = `{"jsonrpc":"2.0","id":1,"method":"${given.method}","params":${params}}`;
  const incoming = classifyStrict(JSON.parse(text), text);
  if (incoming.kind !== "request") throw new Error("not a request");
  const call = new ClientCall(client, incoming.request);
  const destination: Destination = isTool
    ? { server: at.server, tool: id, argumentsAt: "params.arguments.arguments" }
    : { server: at.server, subject: "x" };
  call.destination = destination;
  call.subject = isTool ? at.name : "x";
  return call;
}

function answerOf(outcome: Outcome): Answer {
  if (outcome.kind === "result") return "sent";
  const code = outcome.kind === "failure" ? outcome.error.code : outcome.kind;
  if (code === "POLICY_DENIED") return "deny";
  if (code === "TOOL_NOT_FOUND" || code === "SERVER_NOT_FOUND") return "not found";
  throw new Error(`unexpected outcome ${code}`);
}

function settingsOf({ levels: [top, toolbox, own], server, tool, fixed }: Case): WorkbenchSettings {
  const entry = (name: string): object =>
    name !== server
      ? { command: "x" }
      : {
          command: "x",
          annotations: tool.isTrusted ? "trust" : "ignore",
          policy: own,
          overrides: {
            [ownName(tool.name)]: {
              ...(!tool.name.includes("/") && { name: tool.name }),
              ...(tool.class !== undefined && { class: tool.class }),
              ...(fixed !== undefined && { arguments: { fixed: JSON.parse(fixed) as unknown } }),
            },
          },
        };
  const mcpServers = Object.fromEntries(SERVERS.map((name) => [name, entry(name)]));
  const config = {
    policy: top,
    toolboxes: { dev: { description: "d", policy: toolbox, mcpServers } },
  };
  const settings = parseConfigFast(JSON.stringify(config), { env: {} });
  if (settings === undefined) throw new Error("the configuration is not valid");
  return settings;
}
