import type { ClientCall } from "../../calls/call.ts";
import { MODERN_VERSION } from "../../protocol/envelope.ts";
import type { Ended } from "../ended.ts";
import type { Operation } from "../operation.ts";
import type { AttributeValue } from "./span.ts";

type SpanAttributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Ids are chosen by clients, so they may be long. */
const MAX_ID_CHARS = 128;
/** Principals whose calls do not come over HTTP. */
const TRANSPORTS: Readonly<Record<string, SpanAttributes>> = {
  stdio: { "network.transport": "pipe" },
  local: {},
};
const HTTP: SpanAttributes = { "network.transport": "tcp", "network.protocol.name": "http" };

/** `{method} {target}`, as the conventions for MCP name spans. */
export function spanName({ method, tool, prompt }: Operation): string {
  const target = tool ?? prompt;
  return target === undefined ? method : `${method} ${target}`;
}

/** What spans towards clients and towards servers have in common. */
export function operationAttributes(operation: Operation, ended: Ended): SpanAttributes {
  const { method, tool, prompt, toolbox, server } = operation;
  return {
    "mcp.method.name": method,
    "gen_ai.operation.name": method === "tools/call" ? "execute_tool" : undefined,
    "gen_ai.tool.name": tool,
    "gen_ai.prompt.name": prompt,
    "mcp_workbench.toolbox": toolbox,
    "mcp_workbench.server": server,
    "rpc.response.status_code": ended.rpcCode,
    "error.type": ended.errorType,
  };
}

/** What is known about the client of a call. */
export function clientAttributes(call: ClientCall, session: string | undefined): SpanAttributes {
  const { caller, request } = call;
  const { era, profile, principal } = caller;
  return {
    "jsonrpc.request.id": request.idText.replace(/^"(.*)"$/s, "$1").slice(0, MAX_ID_CHARS),
    "mcp.session.id": session,
    "mcp.protocol.version": era === "modern" ? MODERN_VERSION : profile?.protocolVersion,
    ...(TRANSPORTS[principal.kind] ?? HTTP),
  };
}

/** What is known about the server that a call was sent to. */
export function serverAttributes({ id, route, destination }: ClientCall): SpanAttributes {
  const version = route?.hello.protocolVersion;
  return {
    "jsonrpc.request.id": String(id),
    "mcp.protocol.version": version === "" ? undefined : version,
    ...transportAttributes(destination?.server?.settings.transport),
  };
}

function transportAttributes(
  transport: { readonly kind: string; readonly url?: string } | undefined,
): SpanAttributes {
  if (transport?.kind === "stdio") return { "network.transport": "pipe" };
  if (transport?.url === undefined || !URL.canParse(transport.url)) return {};
  const { hostname, port, protocol } = new URL(transport.url);
  const standard = protocol === "https:" ? 443 : 80;
  return {
    ...HTTP,
    "server.address": hostname,
    "server.port": port === "" ? standard : Number(port),
  };
}
