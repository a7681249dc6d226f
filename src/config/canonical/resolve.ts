import type { VariableUse } from "./expand.ts";
import type { ParsedConfig, ParsedServer } from "../schema.ts";
import { lockFileOf } from "../lock-path.ts";
import { type PathContext, resolveCommand, resolvePath } from "./paths.ts";
import type { ServerSecrets } from "./secret-texts.ts";
import { secretsInSettings } from "../../secrets/in-settings.ts";
import { REGISTRY_KEY, serverKey } from "../server-key.ts";
import type {
  EnvFile,
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
    http,
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
      secrets ??= secretsInSettings(uses, toolboxes, secretValues());
      return secrets;
    },
    warnings: warningsFor(toolboxes),
  };
}

type ConnectionSettings = Pick<
  ServerSettings,
  "transport" | "timeouts" | "limits" | "protocol" | "isolation" | "questions" | "inheritEnv"
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

function remote({ url, headers, oauth, type }: RemoteServer): RemoteTransport {
  const trimmed = Object.entries(headers).map(([name, value]) => [name, value.trim()]);
  const hasOwn = trimmed.some(([name]) => name?.toLowerCase() === "authorization");
  return {
    kind: type ?? "auto",
    url,
    headers: Object.fromEntries(trimmed),
    ...(oauth !== false && !hasOwn && { oauth: oauth ?? AUTOMATIC }),
  };
}

/** Sign in when the server asks for it. */
const AUTOMATIC: OAuthSettings = { account: "default", grant: "authorization_code" };

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
