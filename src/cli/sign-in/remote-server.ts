import { isRemote } from "../../config/is-remote.ts";
import type {
  OAuthSettings,
  RemoteTransport,
  ServerSettings,
  WorkbenchSettings,
} from "../../config/types.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import { serversIn } from "../../workbench/scopes.ts";
import { serversNamed, severalOf } from "../use/short-names.ts";
import { parseToolPath } from "../use/target.ts";

/** A server that can be signed in to. */
export interface RemoteServer {
  readonly label: string;
  readonly place: { readonly toolbox: string; readonly server: string };
  readonly transport: RemoteTransport;
  readonly oauth: OAuthSettings;
  /** Undefined if it is no longer configured. */
  readonly settings?: ServerSettings | undefined;
}

/** The server that the user names, by TOOLBOX/SERVER or by its own name if there is only one. */
export function findRemoteServer(name: string, settings: WorkbenchSettings): RemoteServer {
  const server = findConfigured(name, settings);
  const found = remoteServer(server);
  if (found !== undefined) return found;
  throw notPossible(server);
}

/** All servers that can be signed in to. */
export function remoteServers(settings: WorkbenchSettings): readonly RemoteServer[] {
  return serversIn(settings.toolboxes).flatMap((server) => remoteServer(server) ?? []);
}

function findConfigured(name: string, settings: WorkbenchSettings): ServerSettings {
  const { toolbox = "", server = "", tool } = parseToolPath(name);
  const exact =
    tool === undefined ? settings.toolboxes.get(toolbox)?.servers.get(server) : undefined;
  if (exact !== undefined) return exact;
  const [only, ...others] = serversNamed(name, settings.toolboxes);
  if (only !== undefined && others.length > 0)
    throw severalOf(
      "servers",
      name,
      [only, ...others].map(({ label }) => label),
    );
  const found = only && settings.toolboxes.get(only.path.toolbox)?.servers.get(only.path.server);
  if (found !== undefined) return found;
  const labels = serversIn(settings.toolboxes).map((one) => `${one.toolbox}/${one.name}`);
  throw workbenchError("USAGE", { reason: `No server is called '${name}'` }, choices(name, labels));
}

function remoteServer(settings: ServerSettings): RemoteServer | undefined {
  const { toolbox, name, transport } = settings;
  if (!isRemote(transport) || transport.oauth === undefined) return undefined;
  const place = { toolbox, server: name };
  return { label: `${toolbox}/${name}`, place, transport, oauth: transport.oauth, settings };
}

/** Why a server cannot be signed in to. */
function notPossible({ toolbox, name, transport }: ServerSettings): WorkbenchError {
  const key = `toolboxes.${toolbox}.mcpServers.${name}`;
  const fail = (reason: string, hint: string): WorkbenchError =>
    workbenchError("USAGE", { reason: `'${toolbox}/${name}' ${reason}` }, hint);
  if (!isRemote(transport))
    return fail(
      transport.kind === "scripts"
        ? "is a folder of scripts, not a remote server"
        : "is a program on this machine, not a remote server",
      "See its documentation for how it signs in; secrets can be passed with env",
    );
  if (Object.keys(transport.headers).some((header) => header.toLowerCase() === "authorization"))
    return fail(
      "has an Authorization header in the configuration, which is used instead of a login",
      `Remove the header from ${key}.headers to sign in`,
    );
  return fail('has "oauth": false in the configuration', `Remove it from ${key} to sign in`);
}
