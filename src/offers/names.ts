import { NotRunnable } from "./offer.ts";

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** The transport sets these. */
const OWN_HEADERS = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "transfer-encoding",
  "upgrade",
]);
/**
 * Variables that change what a launcher fetches or which code it loads, so that something other than
 * the named package would run. The user may set them, the publisher may not.
 */
const STEERING =
  /^(?:npm_config_|uv_|pip_|docker_|buildkit_|nuget_|dotnet_|ld_|dyld_|node_options$|node_path$|path$|home$|shell$|bash_env$|env$|git_|ssl_|https?_proxy$|all_proxy$)/i;

/** Throws for a name that an environment variable cannot have. */
export function checkEnvName(name: string): void {
  if (!ENV_NAME.test(name)) throw new NotRunnable(`'${name}' is not a name of a variable`);
}

export function isSteering(name: string): boolean {
  return STEERING.test(name);
}

/** Throws for a header that a publisher may not set. */
export function checkHeaderName(name: string): void {
  if (!HEADER_NAME.test(name)) throw new NotRunnable(`'${name}' is not a name of a header`);
  if (OWN_HEADERS.has(name.toLowerCase()))
    throw new NotRunnable(`the header ${name} is set by the workbench`);
}
