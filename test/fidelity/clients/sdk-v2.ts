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
  CAPABILITIES,
  type Endpoint,
  type FidelityClient,
  Inbox,
  type Json,
  type RequestOptions,
  RpcFailure,
  infoOf,
} from "./client.ts";
import { subscribeAll } from "./subscribe.ts";

/** Accepts whatever arrives. */
const ANYTHING: StandardSchemaV1<unknown, Json> = {
  "~standard": { version: 1, vendor: "fidelity", validate: (value) => ({ value: value as Json }) },
};
const QUESTIONS = ["sampling/createMessage", "elicitation/create", "roots/list"] as const;
const FRESH = { cacheMode: "bypass" } as const;

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
  await client.connect(transport);
  const request = async (method: string, params: Json = {}, options?: RequestOptions) => {
    try {
      return (await send(client, method, params, options)) as Json;
    } catch (error) {
      throw failureIn(error);
    }
  };
  return {
    kind,
    era,
    inbox,
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
    },
  };
}

/** The JSON-RPC error that was answered, if that is why the SDK threw. */
function failureIn(error: unknown): unknown {
  if (error instanceof ProtocolError) return new RpcFailure(error.code, error.message, error.data);
  // A method that does not exist is HTTP 404 in the modern era, which the SDK takes for a failure of
  // the transport; the JSON-RPC error is in the body.
  if (!(error instanceof SdkHttpError) || error.status !== 404) return error;
  const { error: answered } = JSON.parse(String(error.data["text"])) as { error?: RpcFailure };
  return answered === undefined
    ? error
    : new RpcFailure(answered.code, answered.message, answered.data);
}

function send(
  client: Client,
  method: string,
  params: Json,
  { onProgress, signal }: RequestOptions = {},
): Promise<unknown> {
  const options = {
    ...(onProgress && { onprogress: (progress: object) => onProgress(progress as Json) }),
    ...(signal && { signal }),
  };
  const given = params as never;
  switch (method) {
    case "tools/call":
      return params["task"] === undefined
        ? client.callTool(given, options)
        : client.request({ method, params: given }, ANYTHING, options);
    case "tools/list":
      return client.listTools(given, { ...options, ...FRESH });
    case "prompts/list":
      return client.listPrompts(given, { ...options, ...FRESH });
    case "prompts/get":
      return client.getPrompt(given, options);
    case "resources/list":
      return client.listResources(given, { ...options, ...FRESH });
    case "resources/templates/list":
      return client.listResourceTemplates(given, { ...options, ...FRESH });
    case "resources/read":
      return client.readResource(given, { ...options, ...FRESH });
    case "resources/subscribe":
      return client.subscribeResource(given, options);
    case "resources/unsubscribe":
      return client.unsubscribeResource(given, options);
    case "completion/complete":
      return client.complete(given, options);
    case "logging/setLevel":
      return client.setLoggingLevel(params["level"] as never, options);
    case "ping":
      return client.ping(options);
    case "server/discover":
      return client.discover(options);
    default:
      return client.request({ method, params: given }, ANYTHING, options);
  }
}

function transportTo(endpoint: Endpoint): Transport {
  if (endpoint.transport === "http")
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
    });
  const { command, args, env, cwd } = endpoint;
  return new StdioClientTransport({ command, args: [...args], env, cwd, stderr: "ignore" });
}
