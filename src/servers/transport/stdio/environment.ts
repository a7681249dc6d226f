import { delimiter, dirname } from "node:path";

import { INHERITED } from "../../../config/inherited-variables.ts";
import type { StdioTransport } from "../../../config/types.ts";
import { readServerEnvFile } from "../../../secrets/server-env-file.ts";

/** The variables that a server gets because its configuration says so. */
export function declaredVariables(
  env: Readonly<Record<string, string>>,
  transport: StdioTransport,
): string[] {
  return Object.keys(env).filter(
    (name) => !INHERITED.includes(name) || Object.hasOwn(transport.env, name),
  );
}

/** The variables of a server's process. Throws if its `envFile` cannot be read. */
export function processEnvironment(
  { env, envFile }: StdioTransport,
  inheritEnv: readonly string[],
  source: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const declared = envFile === undefined ? env : { ...readServerEnvFile(envFile), ...env };
  const inherited = serverEnvironment({}, inheritEnv, source);
  const path = inherited["PATH"];
  return { ...inherited, ...(path && { PATH: withOwnNode(path) }), ...declared };
}

/**
 * The search path with the folder of our own Node.js at its end. Clients that are started from a
 * desktop do not have the search path of the shell, in which `npx` worked when it was tried.
 */
export function withOwnNode(path: string, node = process.execPath): string {
  const folder = dirname(node);
  return path.split(delimiter).includes(folder) ? path : `${path}${delimiter}${folder}`;
}

export function serverEnvironment(
  declared: Readonly<Record<string, string>>,
  inheritEnv: readonly string[],
  source: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...INHERITED, ...inheritEnv]) {
    const value = source[name];
    // A value that starts with "()" is an exported shell function: code, not a setting.
    if (value !== undefined && !value.startsWith("()")) env[name] = value;
  }
  return Object.assign(env, declared);
}
