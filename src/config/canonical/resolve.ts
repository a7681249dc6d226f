import { isAbsolute, resolve } from "node:path";
import { expandHome } from "../directories.ts";
import type { VariableUse } from "./expand.ts";
import type { ParsedConfig, ParsedServer } from "../schema.ts";
import { secretsInSettings } from "../../secrets/in-settings.ts";
import { serverKey } from "../server-key.ts";
import type {
  EnvFile,
  Limits,
  RemoteTransport,
  ServerSettings,
  StdioTransport,
  Timeouts,
  ToolboxSettings,
  WorkbenchSettings,
} from "../types.ts";

/** Turns a validated configuration into the settings that the rest of the program uses. */

export interface ResolveContext {
  readonly file: string | undefined;
  /** Relative paths in the configuration are resolved against this folder. */
  readonly baseDir: string;
  readonly home: string;
}

export interface Diagnostics {
  readonly uses: readonly VariableUse[];
  readonly envFiles: readonly EnvFile[];
  /** Values that are secret whatever their name. */
  readonly secretValues: () => Iterable<string>;
  /** Why servers cannot be started, by `serverKey`. */
  readonly unavailable: ReadonlyMap<string, string>;
}

export function resolveSettings(
  config: ParsedConfig,
  { uses, envFiles, secretValues, unavailable }: Diagnostics,
  context: ResolveContext,
): WorkbenchSettings {
  const toolboxes = new Map<string, ToolboxSettings>();
  for (const [name, { description, keywords, mcpServers }] of Object.entries(config.toolboxes)) {
    const servers = new Map<string, ServerSettings>();
    for (const [server, entry] of Object.entries(mcpServers)) {
      servers.set(server, {
        toolbox: name,
        name: server,
        transport: "url" in entry ? remote(entry) : local(entry, context),
        toolFilters: entry.toolFilters,
        // Values from JSON are never undefined, which is the only difference between the types.
        overrides: entry.overrides as ServerSettings["overrides"],
        timeouts: { ...config.timeouts, ...(entry.timeouts as Partial<Timeouts>) },
        limits: { ...config.limits, ...(entry.limits as Partial<Limits>) },
        protocol: entry.protocol ?? config.protocol,
        isolation: entry.isolation ?? config.isolation,
        questions: entry.questions,
        inheritEnv: entry.inheritEnv ?? config.inheritEnv,
        disabled: entry.disabled,
        unavailable: unavailable.get(serverKey(name, server)),
      });
    }
    toolboxes.set(name, { name, description, keywords, servers });
  }
  let secrets: readonly string[] | undefined;
  const { toolMode, limits, http, log, discovery, openBudgetTokens } = config;
  return {
    file: context.file,
    envFiles,
    toolMode,
    toolboxes,
    limits,
    http,
    log: { ...log, file: log.file && resolvePath(log.file, context) },
    discovery,
    openBudgetTokens,
    // Looked for when there is something to hide them in: a client waits for the start.
    get secrets() {
      secrets ??= secretsInSettings(uses, toolboxes, secretValues());
      return secrets;
    },
    warnings: warningsFor(toolboxes),
  };
}

function local(
  { command, args, env, envFile, cwd }: Extract<ParsedServer, { command: string }>,
  context: ResolveContext,
): StdioTransport {
  return {
    kind: "stdio",
    command: resolveCommand(command, context),
    args,
    env,
    ...(envFile !== undefined && { envFile: resolvePath(envFile, context) }),
    cwd: cwd && resolvePath(cwd, context),
  };
}

function remote({ url, headers, type }: Extract<ParsedServer, { url: string }>): RemoteTransport {
  const trimmed = Object.entries(headers).map(([name, value]) => [name, value.trim()]);
  return { kind: type ?? "auto", url, headers: Object.fromEntries(trimmed) };
}

/** A bare name is looked up on the PATH; anything with a separator is a path. */
function resolveCommand(command: string, context: ResolveContext): string {
  const isPath = command.includes("/") || (process.platform === "win32" && command.includes("\\"));
  return isPath ? resolvePath(command, context) : command;
}

function resolvePath(path: string, { baseDir, home }: ResolveContext): string {
  const expanded = expandHome(path, home);
  return isAbsolute(expanded) ? expanded : resolve(baseDir, expanded);
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
