import { isSecretName } from "../../secrets/patterns.ts";
import type { Expanded, VariableUse } from "./expand.ts";
import { pathText, type ConfigPath, type Locate, type Problem } from "../problems.ts";
import { serverKey } from "../server-key.ts";

/**
 * Variables that are not set. In the entry of a server they make only that server unavailable, and
 * are ignored if it is disabled; in `registry` and `cluster` they are left as they are; anywhere else they make the
 * configuration invalid.
 */

export interface MissingVariables {
  readonly problems: readonly Problem[];
  /** By `serverKey`. */
  readonly byServer: ReadonlyMap<string, readonly VariableUse[]>;
}

export function missingVariables({ value, uses }: Expanded): MissingVariables {
  const problems: Problem[] = [];
  const byServer = new Map<string, VariableUse[]>();
  for (const use of uses) {
    const [top, toolbox, group, server] = use.path;
    // Only some commands use these settings; they report it.
    if (use.value !== undefined || top === "registry" || top === "cluster") continue;
    if (top !== "toolboxes" || group !== "mcpServers" || server === undefined) {
      problems.push({
        path: use.path,
        at: "value",
        message: `environment variable ${use.name} is not set. ${adviceFor([use])}`,
      });
    } else if (!isDisabled(value, use.path.slice(0, 4))) {
      const key = serverKey(String(toolbox), String(server));
      const known = byServer.get(key);
      if (known === undefined) byServer.set(key, [use]);
      else known.push(use);
    }
  }
  return { problems, byServer };
}

/** Why a server cannot be started: every variable that is not set and where it is used. */
export function unavailableText(
  uses: readonly VariableUse[],
  originOf: (path: ConfigPath) => ConfigPath,
  locate: Locate,
): string {
  const mentions = uses.map(({ name, path }) => {
    const origin = originOf(path);
    const position = locate(origin, "value");
    const line = position === undefined ? "" : `, line ${position.line}:${position.column}`;
    return { name, place: `(${pathText(origin)}${line})` };
  });
  const [first, ...others] = mentions;
  if (first === undefined) return "";
  if (others.length === 0) {
    return `environment variable ${first.name} is not set ${first.place}. ${adviceFor(uses)}`;
  }
  const list = mentions.map(({ name, place }) => `${name} ${place}`).join(", ");
  return `environment variables are not set: ${list}. ${adviceFor(uses)}`;
}

/** A default is not suggested for a secret, which does not belong in the file. */
function adviceFor(uses: readonly VariableUse[]): string {
  const names = [...new Set(uses.map(({ name }) => name))];
  const secrets = names.filter((name) => uses.some((use) => use.name === name && isSecret(use)));
  const it = names.length === 1 ? "it" : "them";
  const [only = "NAME", ...more] = secrets;
  const command = `mcp-workbench secret set ${more.length > 0 ? "NAME" : only}`;
  const set = `Set ${it} in the environment of the workbench`;
  const advice = secrets.length === 0 ? set : `${set} or with '${command}'`;
  const defaults = names
    .filter((name) => !secrets.includes(name))
    .map((name) => `\${${name}:-default}`)
    .join(", ");
  return defaults === "" ? advice : `${advice}, or write ${defaults}`;
}

/** By the name of the variable, or of the setting of the server that it is for. */
function isSecret({ name, path }: VariableUse): boolean {
  const isNamedSetting = ["env", "headers"].includes(String(path.at(-2)));
  return isSecretName(name) || (isNamedSetting && isSecretName(String(path.at(-1))));
}

function isDisabled(config: unknown, server: ConfigPath): boolean {
  let entry = config;
  for (const step of server) entry = (entry as Readonly<Record<string, unknown>>)[step];
  return typeof entry === "object" && entry !== null && Reflect.get(entry, "disabled") === true;
}
