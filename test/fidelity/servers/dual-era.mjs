// The fixture on the official SDK of the second generation, in both eras.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { CACHE_HINTS, INSTRUCTIONS, SERVER_INFO, SKILLS_EXTENSION } from "./definitions.mjs";
import { Features } from "./features.mjs";

const PREFIX = "io.modelcontextprotocol/";
const LISTS = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};

/** A request as the features see it. */
function callOf(server, subscribed, { mcpReq }) {
  const { _meta: meta, envelope } = mcpReq;
  const modern = envelope !== undefined;
  return {
    inputResponses: mcpReq.inputResponses,
    requestState: mcpReq.requestState(),
    signal: mcpReq.signal,
    told: {
      era: modern ? "modern" : "legacy",
      meta: meta ?? null,
      capabilities: modern
        ? envelope[`${PREFIX}clientCapabilities`]
        : server.getClientCapabilities(),
      clientInfo: modern ? envelope[`${PREFIX}clientInfo`] : server.getClientVersion(),
      subscribed: [...subscribed],
    },
    notify: (method, params) => mcpReq.notify({ method, params }),
    progress: (params) => {
      const { progressToken } = meta ?? {};
      if (progressToken === undefined) return undefined;
      return mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, ...params },
      });
    },
    log: ({ level, data, logger }) => mcpReq.log(level, data, logger),
  };
}

function newServer() {
  const server = new Server(SERVER_INFO, {
    instructions: INSTRUCTIONS,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
      experimental: { "fixture/experiment": { on: true } },
      extensions: { [SKILLS_EXTENSION]: {} },
    },
    cacheHints: Object.fromEntries(
      [...Object.keys(LISTS), "resources/read", "server/discover"].map((method) => [
        method,
        CACHE_HINTS,
      ]),
    ),
  });
  const subscribed = new Set();
  const announce = {
    tools: () => server.sendToolListChanged(),
    prompts: () => server.sendPromptListChanged(),
    resources: () => server.sendResourceListChanged(),
  };
  const features = new Features(
    (kind) => void announce[kind](),
    (uri, era) => {
      // The SDK notifies modern clients of what they listen for, and legacy ones of everything.
      if (era === "modern" || subscribed.has(uri)) void server.sendResourceUpdated({ uri });
    },
  );
  const call = (context) => callOf(server, subscribed, context);
  for (const [method, kind] of Object.entries(LISTS))
    server.setRequestHandler(method, ({ params }) => features.list(kind, params));
  server.setRequestHandler("tools/call", ({ params }, context) =>
    features.callTool(params, call(context)),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    features.getPrompt(params, call(context)),
  );
  server.setRequestHandler("resources/read", ({ params }, context) =>
    features.readResource(params, call(context)),
  );
  server.setRequestHandler("completion/complete", ({ params }) => features.complete(params));
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    const aboutSkills = features.skills(method, params);
    if (aboutSkills !== undefined) return aboutSkills;
    if (method !== "fixture/custom")
      throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
    return features.custom(params, call(context));
  };
  server.fallbackNotificationHandler = async ({ method, params }) => features.heard(method, params);
  return server;
}

serveStdio(newServer);
