import type { Problem } from "../problems.ts";
import type { ParsedConfig } from "../schema.ts";
import { REGISTRY_KEY, serverKey } from "../server-key.ts";
import type { SecretReference, SecretText } from "../types.ts";
import type { SecretUse, WrittenSecret } from "./expand.ts";
import { type PathContext, resolveCommand, resolvePath } from "./paths.ts";

/**
 * The references to secrets in the entries of servers. Nothing is read or run here: a server gets
 * the values when it is started.
 */

/** `folder`: no commands, and no files outside of the folder of the configuration. */
export type SecretReach = "anywhere" | "folder";

export interface SecretContext extends PathContext {
  readonly file: string | undefined;
  readonly reach: SecretReach;
}

/** The references of one server, and why they cannot be used, if they cannot. */
export interface ServerSecrets {
  readonly texts: SecretText[];
  problem?: string;
}

const FIELDS: ReadonlySet<unknown> = new Set(["env", "args", "headers", "url", "oauth"]);

/** References where no server could get their value. */
export function misplacedSecrets(uses: readonly SecretUse[]): readonly Problem[] {
  return uses
    .filter(({ path }) => !isOfServer(path) && !isRegistryToken(path))
    .map(({ path }) => ({
      path,
      at: "value",
      message:
        "only 'env', 'args', 'headers' and 'url' of a server, and 'registry.token', can refer to the keychain, a file or a command. Use ${NAME} here",
    }));
}

/** The references by `serverKey`. */
export function secretTexts(
  uses: readonly SecretUse[],
  { secretCommands, inheritEnv }: Pick<ParsedConfig, "secretCommands" | "inheritEnv">,
  context: SecretContext,
): ReadonlyMap<string, ServerSecrets> {
  const byServer = new Map<string, ServerSecrets>();
  for (const { path, parts } of uses) {
    const [, toolbox, , server, ...inEntry] = path;
    const isToken = isRegistryToken(path);
    const at = isToken ? path.slice(1) : inEntry;
    const key = isToken ? REGISTRY_KEY : serverKey(String(toolbox), String(server));
    const known = byServer.get(key) ?? { texts: [] };
    byServer.set(key, known);
    const resolved: (string | SecretReference)[] = [];
    for (const part of parts) {
      const reference = typeof part === "string" ? part : referenceTo(part);
      if (typeof reference === "string" || "kind" in reference) resolved.push(reference);
      else known.problem ??= reference.problem;
    }
    known.texts.push({ at, parts: resolved });
  }
  return byServer;

  function referenceTo({
    kind,
    name,
    fallback,
  }: WrittenSecret): SecretReference | { readonly problem: string } {
    if (kind === "keychain") return { kind, name, fallback };
    if (kind === "file") {
      const within = context.reach === "folder" ? context.baseDir : undefined;
      return { kind, path: resolvePath(name, context), within, fallback };
    }
    const found = Object.hasOwn(secretCommands, name) ? secretCommands[name] : undefined;
    if (found === undefined) return { problem: unknownCommand(name, Object.keys(secretCommands)) };
    if (context.reach === "folder") return { problem: notTrusted(context.file ?? "") };
    const [program = "", ...args] = found.command;
    const run = {
      ...found,
      command: [resolveCommand(program, context), ...args],
      inheritEnv: found.inheritEnv ?? inheritEnv,
      cwd: context.baseDir,
    };
    return { kind, name, run, fallback };
  }
}

function isOfServer([top, , group, server, field]: SecretUse["path"]): boolean {
  return top === "toolboxes" && group === "mcpServers" && server !== undefined && FIELDS.has(field);
}

function isRegistryToken([top, field]: SecretUse["path"]): boolean {
  return top === REGISTRY_KEY && field === "token";
}

function unknownCommand(name: string, names: readonly string[]): string {
  const known = names.length === 0 ? "it is empty" : `it has ${names.join(", ")}`;
  return `'secretCommands' has no ${name}; ${known}. Add it there, or correct \${command:${name}}`;
}

function notTrusted(file: string): string {
  return `it needs a command of ${file}, which other users can change. If you trust it: mcp-workbench trust --config ${file}`;
}
