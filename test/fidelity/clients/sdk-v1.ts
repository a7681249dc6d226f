/** The official client SDK of the first generation, which speaks the legacy era. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
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

export async function connectSdkV1(endpoint: Endpoint): Promise<FidelityClient> {
  const inbox = new Inbox();
  const client = new Client(infoOf("sdk-v1"), { capabilities: CAPABILITIES });
  client.fallbackNotificationHandler = async ({ method, params }) => inbox.notified(method, params);
  for (const schema of [CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema])
    client.setRequestHandler(schema, ({ method, params }) => inbox.answer(method, params) as never);
  const transport = transportTo(endpoint);
  await client.connect(transport);
  const request = async (method: string, params: Json = {}, options?: RequestOptions) => {
    try {
      return (await send(client, method, params, options)) as Json;
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const message = error.message.replace(/^MCP error -?\d+: /, "");
      throw new RpcFailure(error.code, message, error.data);
    }
  };
  return {
    kind: "sdk-v1",
    era: "legacy",
    inbox,
    hello: {
      serverInfo: client.getServerVersion() as Json | undefined,
      capabilities: client.getServerCapabilities() as Json,
      instructions: client.getInstructions(),
    },
    request,
    notify: (method, params) => client.notification({ method, params } as never),
    watch: (interest) => subscribeAll(request, interest),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
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
        ? client.callTool(given, undefined, options)
        : client.request({ method, params: given }, ResultSchema, options);
    case "tools/list":
      return client.listTools(given, options);
    case "prompts/list":
      return client.listPrompts(given, options);
    case "prompts/get":
      return client.getPrompt(given, options);
    case "resources/list":
      return client.listResources(given, options);
    case "resources/templates/list":
      return client.listResourceTemplates(given, options);
    case "resources/read":
      return client.readResource(given, options);
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
    default:
      return client.request({ method, params: given } as never, ResultSchema, options);
  }
}

function transportTo(endpoint: Endpoint): Transport {
  if (endpoint.transport === "http")
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
    }) as Transport;
  const { command, args, env, cwd } = endpoint;
  return new StdioClientTransport({ command, args: [...args], env, cwd, stderr: "ignore" });
}
