import type { SecretText, ServerSettings } from "./types.ts";

/**
 * A text that is equal for configurations that mean the same server, seen in the same way. It
 * contains secrets and must not leave the process; on disk only a keyed hash of it is used.
 *
 * Tool filters, overrides, timeouts and names are not part of it: they do not change what the
 * server reports. The values of references to secrets are not part of it either, but where they
 * come from is. A program without its own folder runs in the folder of the workbench, where
 * relative paths in its arguments may mean anything; the path of the configuration file represents
 * that folder.
 */
export function serverIdentity(
  settings: ServerSettings,
  configFile: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { transport, protocol, inheritEnv, secretTexts } = settings;
  const secrets = secretTexts.length === 0 ? undefined : secretTexts.map(originOf);
  const inherited = Object.fromEntries(inheritEnv.map((name) => [name, env[name] ?? null]));
  if (transport.kind === "scripts") return canonical(transport);
  if (transport.kind !== "stdio") {
    // Two accounts may see different tools; how they sign in makes no difference.
    const { oauth: { account = "default", user } = {}, ...remote } = transport;
    const whose = { ...(account !== "default" && { account }), ...(user && { user: user.id }) };
    return canonical({ ...remote, protocol, secrets, ...whose });
  }
  const place = transport.cwd ?? configFile ?? process.cwd();
  return canonical({ ...transport, cwd: place, protocol, inherited, secrets });
}

/** Where the secrets in a text come from. */
function originOf({ at, parts }: SecretText): unknown {
  const origins = parts.map((part) =>
    typeof part !== "string" && part.kind === "command" ? part.run.command : part,
  );
  return [at, origins];
}

/** JSON with sorted keys, so that the order in the file does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
