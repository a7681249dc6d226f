// The fixture without any SDK, in the modern era alone: answers `initialize` with the error that
// lists the supported versions, and sends what an SDK would not let through.
import { createInterface } from "node:readline";
import {
  CACHE_HINTS,
  EXOTIC_TOOL,
  INSTRUCTIONS,
  SERVER_INFO,
  SKILLS_EXTENSION,
  TASK_TOOL,
  UNKNOWN_BLOCK,
} from "./definitions.mjs";
import { Features, RpcError } from "./features.mjs";
import { TASKS_EXTENSION, Tasks } from "./tasks.mjs";

const VERSION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const running = new Map();
const listeners = new Map();
const tasks = new Tasks();

function tell(method, params, wants) {
  for (const [id, filter] of listeners)
    if (wants(filter))
      send({ method, params: { ...params, _meta: { [`${PREFIX}subscriptionId`]: id } } });
}

const features = new Features(
  (kind) =>
    tell(`notifications/${kind}/list_changed`, {}, (filter) => filter[`${kind}ListChanged`]),
  (uri) =>
    tell("notifications/resources/updated", { uri }, (filter) =>
      filter.resourceSubscriptions?.includes(uri),
    ),
);

/** A request as the features see it. */
function callOf({ params = {} }, signal) {
  const { _meta: meta = {}, inputResponses, requestState } = params;
  const plain = Object.entries(meta).filter(([key]) => !key.startsWith(PREFIX));
  const { progressToken } = meta;
  const level = LEVELS.indexOf(meta[`${PREFIX}logLevel`]);
  return {
    inputResponses,
    requestState,
    signal,
    told: {
      era: "modern",
      meta: plain.length > 0 ? Object.fromEntries(plain) : null,
      capabilities: meta[`${PREFIX}clientCapabilities`],
      clientInfo: meta[`${PREFIX}clientInfo`],
      subscribed: [...listeners.values()].flatMap((filter) => filter.resourceSubscriptions ?? []),
    },
    notify: (method, more) => send({ method, params: more }),
    progress: (more) =>
      progressToken !== undefined &&
      send({ method: "notifications/progress", params: { progressToken, ...more } }),
    log: (message) =>
      level >= 0 &&
      LEVELS.indexOf(message.level) >= level &&
      send({ method: "notifications/message", params: message }),
  };
}

function callTool(params, call) {
  const knowsTasks = call.told.capabilities?.extensions?.[TASKS_EXTENSION] !== undefined;
  if (params.name === EXOTIC_TOOL.name) return { content: [UNKNOWN_BLOCK], "x-result": [1.5] };
  if (params.name !== TASK_TOOL.name) return features.callTool(params, call);
  if (knowsTasks) return tasks.start();
  return { content: [{ type: "text", text: "done at once" }] };
}

function listTools(params) {
  const page = features.list("tools", params);
  if (page.nextCursor !== undefined) return page;
  return { tools: [...page.tools, TASK_TOOL, EXOTIC_TOOL] };
}

const METHODS = {
  "server/discover": () => ({
    supportedVersions: [VERSION],
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
      experimental: { "fixture/experiment": { on: true } },
      extensions: { [TASKS_EXTENSION]: {}, [SKILLS_EXTENSION]: {} },
    },
    instructions: INSTRUCTIONS,
    ...CACHE_HINTS,
  }),
  "tools/list": (params) => ({ ...listTools(params), ...CACHE_HINTS }),
  "prompts/list": (params) => ({ ...features.list("prompts", params), ...CACHE_HINTS }),
  "resources/list": (params) => ({ ...features.list("resources", params), ...CACHE_HINTS }),
  "resources/templates/list": (params) => ({
    ...features.list("resourceTemplates", params),
    ...CACHE_HINTS,
  }),
  "resources/read": async (params, call) => ({
    ...CACHE_HINTS,
    ...(await features.readResource(params, call)),
  }),
  "tools/call": callTool,
  "prompts/get": (params, call) => features.getPrompt(params, call),
  "completion/complete": (params) => features.complete(params),
  "tasks/get": (params) => tasks.get(params),
  "tasks/update": (params) => tasks.update(params),
  "tasks/cancel": (params) => tasks.cancel(params),
  "skills/list": (params) => ({ ...features.skills("skills/list", params), ...CACHE_HINTS }),
  "skills/get": (params) => ({ ...features.skills("skills/get", params), ...CACHE_HINTS }),
  "fixture/custom": ({ _meta, ...params }, call) => features.custom(params, call),
};

function stamped(result) {
  const meta = { ...result._meta, [`${PREFIX}serverInfo`]: SERVER_INFO };
  return { resultType: "complete", ...result, _meta: meta };
}

async function respond(message) {
  const { id, method, params = {} } = message;
  const version = params._meta?.[`${PREFIX}protocolVersion`];
  if (version !== VERSION) {
    const data = { supported: [VERSION], requested: version ?? params.protocolVersion };
    throw new RpcError(-32022, "Unsupported protocol version", data);
  }
  if (method === "subscriptions/listen") {
    listeners.set(id, params.notifications);
    const meta = { [`${PREFIX}subscriptionId`]: id };
    send({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: params.notifications, _meta: meta },
    });
    return;
  }
  if (!Object.hasOwn(METHODS, method)) throw new RpcError(-32601, `Method not found: ${method}`);
  const abort = new AbortController();
  running.set(id, abort);
  const result = await METHODS[method](params, callOf(message, abort.signal));
  running.delete(id);
  if (!abort.signal.aborted) send({ id, result: stamped(result) });
}

async function receive(line) {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (id !== undefined)
    await respond(message).catch(({ code = -32603, message: text, data }) =>
      send({ id, error: { code, message: text, data } }),
    );
  else if (method === "notifications/cancelled") {
    running.get(params.requestId)?.abort();
    listeners.delete(params.requestId);
  } else features.heard(method, params);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", receive);
lines.on("close", () => process.exit(0));
