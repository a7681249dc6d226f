import type { RegistrySettings } from "../../config/types.ts";
import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { NO_LOG } from "../../log.ts";
import { PUBLIC_REGISTRY, type RegistryAccess } from "../../offers/registry/registry-client.ts";
import { SecretValues } from "../../servers/secrets/secret-values.ts";
import { Guard } from "../../servers/transport/stdio/guard.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";

/**
 * The registry to use: the one that the user names, that of the configuration, or the official one. The
 * token of the configuration is sent to the registry of the configuration only.
 */
export async function registryAccess(context: Context): Promise<RegistryAccess> {
  const named = context.args.text("registry");
  const configured = await configuredRegistry(context);
  const url = named ?? configured?.url ?? PUBLIC_REGISTRY;
  if (configured === undefined || !isSame(url, configured.url)) return { url };
  const token = await tokenOf(context, configured);
  if (token !== undefined) context.out.hide([token]);
  return { url, token };
}

async function configuredRegistry(context: Context): Promise<RegistrySettings | undefined> {
  try {
    return (await loadSettings(context, context.args.text("config"))).registry;
  } catch (error) {
    if (isWorkbenchError(error) && error.code === "CONFIG_NOT_FOUND") return undefined;
    throw error;
  }
}

async function tokenOf(
  { out, signal }: Context,
  { url, token, secretTexts }: RegistrySettings,
): Promise<string | undefined> {
  const [secret] = secretTexts;
  const values = new SecretValues({
    log: NO_LOG,
    guard: new Guard(),
    signal,
    hide: (texts) => out.hide(texts),
  });
  try {
    if (secret === undefined) {
      const missing = /\$\{(?:env:)?(\w+)/.exec(token ?? "")?.[1];
      if (missing === undefined) return token?.trim();
      throw new Error(`${missing} is not set. Store it with 'mcp-workbench secret set ${missing}'`);
    }
    const parts = await Promise.all(
      secret.parts.map((part) => (typeof part === "string" ? part : values.valueOf(part))),
    );
    return parts.join("").trim();
  } catch (error) {
    const reason = `its token cannot be read: ${reasonOf(error)}`;
    throw workbenchError("REGISTRY_UNUSABLE", { registry: url, reason }, undefined, error);
  }
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((url) =>
    URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url,
  );
  return first === second;
}
