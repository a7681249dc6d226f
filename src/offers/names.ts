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
const STEERING = new RegExp(
  `^(?:${[
    // What is fetched, and from where.
    "npm_config_|uv_|pip_|docker_|buildkit_|containers_|container_(?:host|connection|sshkey)$",
    "registries_|nuget_|corepack_|git_|prefix$",
    // Which code is loaded into it.
    "ld_|dyld_|node_(?:options|path|extra_ca_certs|tls_|v8_|repl_|icu_data|compile_cache|use_)",
    "bun_|deno_|dotnet_|cor_|coreclr_|complus_|jdk_java_|java_tool_|_java_|perl5|perllib$|ruby(?:opt|lib)$",
    "python(?:path|home|startup|inspect|warnings|breakpoint|userbase|executable|platlibdir)$",
    "glibc_|gconv_|locpath$|virtual_env$",
    // Where programs and settings are looked for.
    "path$|pathext$|home$|userprofile$|(?:local)?appdata$|xdg_|shell$|comspec$|systemroot$|ifs$",
    "bash_(?:env$|func_)|env$",
    // Whom it trusts on the network.
    "ssl_cert_|sslkeylogfile$|openssl_|curl_ca_|requests_ca_|https?_proxy$|all_proxy$|hostaliases$",
  ].join("|")})`,
  "i",
);

/** Throws for a name that an environment variable cannot have. */
export function checkEnvName(name: string): void {
  if (!ENV_NAME.test(name)) throw new NotRunnable(`'${name}' is not a name of a variable`);
}

export function isSteering(name: string): boolean {
  return STEERING.test(name);
}

/** Programs that would run what their arguments say. */
const SHELLS =
  /^(?:(?:ba|z|da|a|k|c|tc|fi)?sh|busybox|cmd|powershell|pwsh|env|xargs|sudo|node|npx|python[\d.]*|perl|ruby|curl|wget)(?:\.exe)?$/i;

export function runsItsArguments(program: string): boolean {
  return SHELLS.test(program);
}

/** Throws for a header that a publisher may not set. */
export function checkHeaderName(name: string): void {
  if (!HEADER_NAME.test(name)) throw new NotRunnable(`'${name}' is not a name of a header`);
  if (OWN_HEADERS.has(name.toLowerCase()))
    throw new NotRunnable(`the header ${name} is set by the workbench`);
}
