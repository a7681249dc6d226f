import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { NO_LOG } from "../../log.ts";
import { SecretResolver } from "../../servers/secrets/secret-resolver.ts";
import { Guard } from "../../servers/transport/stdio/guard.ts";
import type { Context } from "../core/command.ts";

/**
 * The settings with the secrets of servers from files and the keychain, to compare them with the
 * entries of clients. Commands are not run. A server whose secrets cannot be read is unchanged.
 */
export async function withKnownSecrets(
  { out }: Pick<Context, "out">,
  settings: WorkbenchSettings,
): Promise<WorkbenchSettings> {
  const resolver = new SecretResolver({
    log: NO_LOG,
    guard: new Guard(),
    signal: new AbortController().signal,
    hide: (values) => out.hide(values),
  });
  const toolboxes = await Promise.all(
    Array.from(settings.toolboxes, async ([name, toolbox]) => {
      const servers = await Promise.all(
        Array.from(toolbox.servers, async ([key, server]) => {
          const isKnown = server.disabled || runsCommand(server) || server.secretTexts.length === 0;
          return [
            key,
            isKnown ? server : await resolver.resolve(server).catch(() => server),
          ] as const;
        }),
      );
      return [name, { ...toolbox, servers: new Map(servers) }] as const;
    }),
  );
  return { ...settings, toolboxes: new Map(toolboxes) };
}

function runsCommand({ secretTexts }: ServerSettings): boolean {
  return secretTexts.some(({ parts }) =>
    parts.some((part) => typeof part !== "string" && part.kind === "command"),
  );
}
