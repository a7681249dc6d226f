import type { ServerSettings } from "../../config/types.ts";

/**
 * A text that is equal for configurations that mean the same server, seen in the same way. It
 * contains secrets and must not leave the process; on disk only a keyed hash of it is used.
 *
 * Tool filters, overrides, timeouts and names are not part of it: they do not change what the
 * server reports. A program without its own folder runs in the folder of the workbench, where
 * relative paths in its arguments may mean anything; the path of the configuration file represents
 * that folder.
 */
export function serverIdentity(
  settings: ServerSettings,
  configFile: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { transport, protocol, inheritEnv } = settings;
  const inherited = Object.fromEntries(inheritEnv.map((name) => [name, env[name] ?? null]));
  if (transport.kind !== "stdio") return canonical({ ...transport, protocol });
  const place = transport.cwd ?? configFile ?? process.cwd();
  return canonical({ ...transport, cwd: place, protocol, inherited });
}

/** JSON with sorted keys, so that the order in the file does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
