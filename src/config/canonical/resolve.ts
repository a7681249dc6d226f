import type { VariableUse } from "./expand.ts";
import type { ParsedConfig, ParsedServer } from "../schema.ts";
import { lockFileOf } from "../lock-path.ts";
import { OWNER_USER } from "../per-user.ts";
import { type PathContext, resolveCommand, resolvePath } from "./paths.ts";
import type { ServerSecrets } from "./secret-texts.ts";
import { secretsInSettings } from "../../secrets/in-settings.ts";
import { REGISTRY_KEY, serverKey } from "../server-key.ts";
import type {
  EnvFile,
  HttpSettings,
  Limits,
  OAuthSettings,
  RemoteTransport,
  SandboxSettings,
  ServerSettings,
  StdioTransport,
  Timeouts,
  ToolboxSettings,
  WorkbenchSettings,
} from "../types.ts";

/** Turns a validated configuration into the settings that the rest of the program uses. */

export interface ResolveContext extends PathContext {
  readonly file: string | undefined;
}

export interface Diagnostics {
  readonly uses: readonly VariableUse[];
  /** The references to secrets by `serverKey`; undefined if there are none. */
  readonly references?: ReadonlyMap<string, ServerSecrets>;
  readonly envFiles: readonly EnvFile[];
  /** Values that are secret whatever their name. */
  readonly secretValues: () => Iterable<string>;
  /** Why servers cannot be started, by `serverKey`. */
  readonly unavailable: ReadonlyMap<string, string>;
}

export function resolveSettings(
  config: ParsedConfig,
  { uses, references, envFiles, secretValues, unavailable }: Diagnostics,
  context: ResolveContext,
): WorkbenchSettings {
  const toolboxes = new Map<string, ToolboxSettings>();
  const { rate: rateLimits, ...limits } = config.limits;
  for (const [name, box] of Object.entries(config.toolboxes)) {
    const { description, keywords, policy, mcpServers } = box;
    const servers = new Map<string, ServerSettings>();
    for (const [server, entry] of Object.entries(mcpServers)) {
      const key = serverKey(name, server);
      const { texts = [], problem } = references?.get(key) ?? {};
      servers.set(server, {
        toolbox: name,
        name: server,
        ...connectionTo(entry, config, context, envFiles),
        secretTexts: texts,
        toolFilters: entry.toolFilters,
        // Values from JSON are never undefined, which is the only difference between the types.
        overrides: entry.overrides as ServerSettings["overrides"],
        annotations: entry.annotations,
        ...(entry.policy && { policy: entry.policy }),
        disabled: entry.disabled || ("scripts" in entry && config.scripts.enabled === false),
        unavailable: unavailable.get(key) ?? (entry.disabled ? undefined : problem),
      });
    }
    toolboxes.set(name, { name, description, keywords, ...(policy && { policy }), servers });
  }
  let secrets: readonly string[] | undefined;
  const { toolMode, http, log, audit, scripts, results } = config;
  const { credentials, discovery, openBudgetTokens } = config;
  return {
    file: context.file,
    envFiles,
    toolMode,
    toolboxes,
    ...(config.policy && { policy: config.policy }),
    ...(config.pins && { pins: config.pins }),
    ...(config.registry && {
      registry: { ...config.registry, secretTexts: references?.get(REGISTRY_KEY)?.texts ?? [] },
    }),
    readTool: config.readTool,
    approvals: config.approvals,
    limits,
    rateLimits,
    http: httpOf(http, context),
    ...(config.cluster && { cluster: config.cluster }),
    shared: config.shared,
    log: { ...log, file: log.file && resolvePath(log.file, context) },
    audit,
    scripts,
    results,
    credentials,
    discovery,
    countTokens: config.countTokens,
    learnFromUse: config.learnFromUse,
    dashboard: config.dashboard,
    openBudgetTokens,
    // Looked for when there is something to hide them in: a client waits for the start.
    get secrets() {
      secrets ??= secretsInSettings(uses, toolboxes, [
        ...secretValues(),
        ...clusterSecrets(config.cluster),
      ]);
      return secrets;
    },
    warnings: [...warningsFor(toolboxes), ...scopeWarnings(http.oauth, toolboxes)],
  };
}

/** The keys of the replicas, and the password of their Redis. */
function clusterSecrets(cluster: ParsedConfig["cluster"]): readonly string[] {
  if (cluster === undefined) return [];
  const { redis, keys } = cluster;
  const password = URL.canParse(redis) ? new URL(redis).password : "";
  return [...keys, password, percentDecoded(password)].filter((text) => !text.includes("${"));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function httpOf({ tls, ...http }: ParsedConfig["http"], context: PathContext): HttpSettings {
  if (tls === undefined) return http;
  const files = { cert: resolvePath(tls.cert, context), key: resolvePath(tls.key, context) };
  return { ...http, tls: files };
}

type ConnectionSettings = Pick<
  ServerSettings,
  | "transport"
  | "timeouts"
  | "limits"
  | "protocol"
  | "isolation"
  | "questions"
  | "inheritEnv"
  | "placement"
>;

/** How a server is reached, and what applies to its connection. */
function connectionTo(
  entry: ParsedServer,
  config: ParsedConfig,
  context: ResolveContext,
  envFiles: readonly EnvFile[],
): ConnectionSettings {
  const { rate: _rate, ...limits } = config.limits;
  const timeouts = { ...config.timeouts, ...(entry.timeouts as Partial<Timeouts>) };
  if ("scripts" in entry) {
    // Scripts have limits of their own, which do not count the time in which the user is asked.
    const { callMs = timeouts.totalMs } = entry.timeouts;
    return {
      transport: { kind: "scripts", folder: resolvePath(entry.scripts, context) },
      timeouts: { ...timeouts, callMs },
      limits,
      protocol: "2025-11-25",
      isolation: "shared",
      questions: "off",
      inheritEnv: [],
    };
  }
  return {
    transport: "url" in entry ? remote(entry) : local(entry, context, envFiles),
    timeouts,
    limits: { ...limits, ...(entry.limits as Partial<Limits>) },
    protocol: entry.protocol ?? config.protocol,
    isolation: entry.isolation ?? config.isolation,
    questions: entry.questions,
    inheritEnv: entry.inheritEnv ?? config.inheritEnv,
    ...("command" in entry && entry.placement === "one" && { placement: "one" as const }),
  };
}

function local(
  { command, args, env, envFile, cwd, sandbox }: Extract<ParsedServer, { command: string }>,
  context: ResolveContext,
  envFiles: readonly EnvFile[],
): StdioTransport {
  return {
    kind: "stdio",
    command: resolveCommand(command, context),
    args,
    env,
    ...(envFile !== undefined && { envFile: resolvePath(envFile, context) }),
    cwd: cwd && resolvePath(cwd, context),
    ...(sandbox && { sandbox: sandboxOf(sandbox, context, envFiles, envFile) }),
  };
}

type ParsedSandbox = NonNullable<Extract<ParsedServer, { command: string }>["sandbox"]>;

function sandboxOf(
  sandbox: ParsedSandbox,
  context: ResolveContext,
  envFiles: readonly EnvFile[],
  envFile: string | undefined,
): SandboxSettings {
  const resolved = (path: string): string => resolvePath(path, context);
  const [program, ...args] = sandbox.command ?? [];
  const secrets = [...envFiles.map(({ file }) => file), ...(envFile ? [resolved(envFile)] : [])];
  return {
    ...sandbox,
    read: sandbox.read.map(resolved),
    write: sandbox.write.map(resolved),
    command: program === undefined ? undefined : [resolveCommand(program, context), ...args],
    protect: [...(context.file ? [context.file, lockFileOf(context.file)] : []), ...secrets],
  };
}

type RemoteServer = Extract<ParsedServer, { url: string }>;

function remote({ url, headers, oauth, type, credentials }: RemoteServer): RemoteTransport {
  const trimmed = Object.entries(headers).map(([name, value]) => [name, value.trim()]);
  const hasOwn = trimmed.some(([name]) => name?.toLowerCase() === "authorization");
  const user = credentials === "perUser" ? { user: OWNER_USER } : undefined;
  return {
    kind: type ?? "auto",
    url,
    headers: Object.fromEntries(trimmed),
    ...(oauth !== false && !hasOwn && { oauth: { ...(oauth ?? AUTOMATIC), ...user } }),
  };
}

/** Sign in when the server asks for it. */
const AUTOMATIC: OAuthSettings = { account: "default", grant: "authorization_code" };

/** A name that does not exist is nearly always a typo. */
function scopeWarnings(
  oauth: HttpSettings["oauth"],
  toolboxes: WorkbenchSettings["toolboxes"],
): string[] {
  return Object.entries(oauth?.scopes ?? {}).flatMap(([scope, grant]) => {
    const at = `http.oauth.scopes["${scope}"]`;
    const isMissing = (place: string): boolean => {
      const [toolbox = "", server] = place.split("/");
      const found = toolboxes.get(toolbox);
      return found === undefined || (server !== undefined && !found.servers.has(server));
    };
    return [...(grant.toolboxes ?? []), ...(grant.servers ?? [])]
      .filter(isMissing)
      .map((place) => `${at} allows '${place}', which does not exist`);
  });
}

function warningsFor(toolboxes: WorkbenchSettings["toolboxes"]): string[] {
  if (toolboxes.size === 0) return ["toolboxes: there are none, so there are no tools to serve"];
  return [...toolboxes.values()].flatMap(({ name, servers }) => {
    if (servers.size === 0) return [`Toolbox '${name}' has no servers`];
    return [...servers.values()].flatMap(({ name: server, unavailable }) =>
      unavailable === undefined
        ? []
        : [`Server '${server}' in toolbox '${name}' is not available: ${unavailable}`],
    );
  });
}
