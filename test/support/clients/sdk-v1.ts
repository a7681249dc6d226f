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

export async function connectSdkV1(endpoint: Endpoint): Promise<FidelityClient> {
  const inbox = new Inbox();
  const client = new Client(infoOf("sdk-v1"), { capabilities: CAPABILITIES });
  client.fallbackNotificationHandler = async ({ method, params }) => inbox.notified(method, params);
  for (const schema of [CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema])
    client.setRequestHandler(schema, ({ method, params }) => inbox.answer(method, params) as never);
  const transport = transportTo(endpoint);
  const transcript = recordTransport(transport, endpoint, inbox);
  await client.connect(transport);
  const calls: SdkCalls = {
    callTool: (params, how) => client.callTool(params, undefined, how),
    request: (method, params, how) =>
      client.request({ method, params } as never, ResultSchema, how),
  };
  const request = async (method: string, params: Json = {}, options?: CallOptions) => {
    try {
      return (await sendWith(client, calls, method, params, options)) as Json;
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
    transcript,
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
      transcript.close();
    },
  };
}

function transportTo(endpoint: Endpoint): Transport {
  if (endpoint.transport === "http")
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
    }) as Transport;
  const { command, args, env, cwd } = endpoint;
  return new StdioClientTransport({ command, args: [...args], env, cwd, stderr: "pipe" });
}
