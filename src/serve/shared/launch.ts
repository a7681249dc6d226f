import { INHERITED } from "../../config/inherited-variables.ts";

/** Where and with which variables a client started its program. */
export interface Launch {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The part of a client's environment that can make a difference to servers: the variables that every
 * server inherits, and those whose name is anywhere in the configuration. No other leaves the client.
 */
export function launchOf(
  configText: string,
  cwd: string = process.cwd(),
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Launch {
  // Windows ignores the case of names.
  const written = (text: string): string => (platform === "win32" ? text.toUpperCase() : text);
  const text = written(configText);
  // A name may be written with escapes.
  const isPlain = !text.includes("\\");
  const isNeeded = (name: string): boolean =>
    !isPlain || text.includes(written(name)) || INHERITED.includes(written(name));
  const needed: Record<string, string> = {};
  for (const name of Object.keys(env).sort()) {
    const value = env[name];
    if (value !== undefined && isNeeded(name)) needed[name] = value;
  }
  return { cwd, env: needed };
}

/** Whether a changed configuration may need variables that clients have not passed on. */
export function mayNeedMore(before: string, after: string): boolean {
  if (after.includes("inheritEnv") || after.includes("\\")) return true;
  const known = new Set(variablesIn(before));
  return variablesIn(after).some((name) => !known.has(name));
}

function variablesIn(text: string): string[] {
  return Array.from(text.matchAll(/\$\{(?:env:)?(\w+)/g), ([, name = ""]) => name);
}
