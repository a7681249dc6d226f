/** The official client SDK of the second generation, in either era. */
import {
  Client,
  ProtocolError,
  SdkHttpError,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  type CallOptions,
  CAPABILITIES,
  type Endpoint,
  type FidelityClient,
  Inbox,
  type Json,
  infoOf,
} from "./matrix-client.ts";
import { RpcFailure } from "./json-rpc.ts";
import { recordTransport, type SdkCalls, sendWith } from "./sdk.ts";
import { subscribeAll } from "./subscribe.ts";

/** Accepts whatever arrives. */
const ANYTHING: StandardSchemaV1<unknown, Json> = {
  "~standard": { version: 1, vendor: "fidelity", validate: (value) => ({ value: value as Json }) },
};
const QUESTIONS = ["sampling/createMessage", "elicitation/create", "roots/list"] as const;

export async function connectSdkV2(
  endpoint: Endpoint,
  era: "legacy" | "modern",
): Promise<FidelityClient> {
  const inbox = new Inbox();
  const kind = `sdk-v2-${era}` as const;
  const client = new Client(infoOf(kind), {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
  });
  client.fallbackNotificationHandler = async ({ method, params }) => inbox.notified(method, params);
  for (const method of QUESTIONS)
    client.setRequestHandler(method, ({ params }) => inbox.answer(method, params) as never);
  const transport = transportTo(endpoint);
  const transcript = recordTransport(transport, endpoint, inbox);
  await client.connect(transport);
  const calls: SdkCalls = {
    fresh: { cacheMode: "bypass" },
    callTool: (params, how) => client.callTool(params, how),
    request: (method, params, how) =>
      method === "server/discover"
        ? client.discover(how)
        : client.request({ method, params }, ANYTHING, how),
  };
  const request = async (method: string, params: Json = {}, options?: CallOptions) => {
    try {
      return (await sendWith(client, calls, method, params, options)) as Json;
    } catch (error) {
      throw failureIn(error);
    }
  };
  return {
    kind,
    era,
    inbox,
    transcript,
    hello: {
      serverInfo: client.getServerVersion() as Json | undefined,
      capabilities: client.getServerCapabilities() as Json,
      instructions: client.getInstructions(),
    },
    request,
    notify: (method, params) => client.notification({ method, params } as never),
    watch: async (interest) => {
      if (era === "legacy") return subscribeAll(request, interest);
      const subscription = await client.listen(interest as never);
      inbox.notified("notifications/subscriptions/acknowledged", {
        notifications: subscription.honoredFilter,
      });
      return () => subscription.close();
    },
    close: async () => {
      if (era === "legacy" && transport instanceof StreamableHTTPClientTransport)
        await transport.terminateSession();
      await client.close();
      transcript.close();
    },
  };
}

/** The JSON-RPC error of the response, if that is why the SDK threw. */
function failureIn(error: unknown): unknown {
  if (error instanceof ProtocolError) return new RpcFailure(error.code, error.message, error.data);
  // A method that does not exist is HTTP 404 in the modern era, which the SDK treats as a failure
  // of the transport; the JSON-RPC error is in the body.
  if (!(error instanceof SdkHttpError) || error.status !== 404) return error;
  const { error: answered } = JSON.parse(String(error.data["text"])) as { error?: RpcFailure };
  return answered === undefined
    ? error
    : new RpcFailure(answered.code, answered.message, answered.data);
}

function transportTo(endpoint: Endpoint): Transport {
  if (endpoint.transport === "http")
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
    });
  const { command, args, env, cwd } = endpoint;
  return new StdioClientTransport({ command, args: [...args], env, cwd, stderr: "pipe" });
}
