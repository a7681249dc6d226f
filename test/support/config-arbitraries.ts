import * as fc from "fast-check";
import type { WorkbenchConfig } from "../../src/config/schema.ts";

/** Generators of configurations: valid ones, and damaged ones. */

type ToolboxInput = WorkbenchConfig["toolboxes"][string];
type ServerInput = ToolboxInput["mcpServers"][string];

const name = fc.constantFrom("dev", "prod", "git.hub", "my-files", "a_b", "X");
const word = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 })
  .map((s) => s.replaceAll("$", "_"));
/** Without characters that have a special meaning in a configuration. */
const plainJson = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !/\$\{|__proto__/.test(JSON.stringify(value)));
const milliseconds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const optional = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

const timeouts = optional({
  connectMs: milliseconds,
  callMs: milliseconds,
  totalMs: milliseconds,
  idleMs: fc.constantFrom(0, 1, 600_000),
  shutdownMs: milliseconds,
});
const limits = optional({
  messageBytes: fc.constantFrom(1024, 16_777_216),
  concurrency: fc.integer({ min: 1, max: 100 }),
  queue: fc.integer({ min: 0, max: 100 }),
  tools: fc.integer({ min: 1, max: 100 }),
  pages: fc.integer({ min: 1, max: 100 }),
});
const action = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const policy = optional({
  readOnly: fc.boolean(),
  default: action,
  rules: fc.array(
    fc.record(
      {
        action,
        tools: fc.array(fc.constantFrom("*", "files/*", "*/delete_*"), {
          minLength: 1,
          maxLength: 2,
        }),
        class: fc.array(fc.constantFrom("read" as const, "destructive" as const), {
          minLength: 1,
          maxLength: 2,
        }),
        openWorld: fc.boolean(),
        arguments: fc.dictionary(
          fc.constantFrom("path", "a.b"),
          fc.array(word, { minLength: 1, maxLength: 2 }),
        ),
        clients: fc.array(word, { minLength: 1, maxLength: 2 }),
        reason: word,
      },
      { requiredKeys: ["action"] },
    ),
    { maxLength: 2 },
  ),
});
const rate = fc.array(
  fc.record(
    {
      clients: fc.array(fc.constant("ci"), { minLength: 1, maxLength: 2 }),
      tools: fc.array(fc.constantFrom("github/*", "*/delete_*"), { minLength: 1, maxLength: 2 }),
      calls: fc.integer({ min: 1, max: 100 }),
      perMs: milliseconds,
      burst: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: ["calls", "perMs"] },
  ),
  { maxLength: 2 },
);
const anyServer = {
  toolFilters: fc.array(word, { maxLength: 3 }),
  overrides: fc.dictionary(
    fc.constantFrom("read", "write__file", "délétion"),
    optional({
      name: fc.constantFrom("read_file", "x.y-z"),
      description: word,
      hidden: fc.boolean(),
      arguments: fc.dictionary(fc.constantFrom("path", "deep"), plainJson),
      class: fc.constantFrom("read" as const, "write" as const, "destructive" as const),
    }),
    { maxKeys: 2 },
  ),
  annotations: fc.constantFrom("trust" as const, "ignore" as const),
  policy,
  timeouts,
  limits,
  protocol: fc.constantFrom("auto" as const, "2025-11-25" as const, "2026-07-28" as const),
  isolation: fc.constantFrom("shared" as const, "capabilities" as const, "session" as const),
  inheritEnv: fc.array(fc.constantFrom("LANG", "TZ"), { maxLength: 2 }),
  disabled: fc.boolean(),
};
const localServer = fc.record(
  {
    command: fc.constantFrom("npx", "./server.js", "/usr/bin/x"),
    type: fc.constant("stdio" as const),
    args: fc.array(word, { maxLength: 3 }),
    env: fc.dictionary(fc.constantFrom("A", "API_KEY", "LOG_LEVEL"), word),
    envFile: fc.constantFrom("~/x.env", ".env"),
    cwd: fc.constantFrom("~/x", ".", "/srv"),
    sandbox: fc.record(
      {
        kind: fc.constantFrom("bwrap" as const, "docker" as const, "command" as const),
        read: fc.array(fc.constantFrom("~/src", "./a"), { maxLength: 2 }),
        write: fc.array(fc.constantFrom("data", "/srv"), { maxLength: 2 }),
        network: fc.boolean(),
        required: fc.boolean(),
        image: fc.constant("node:22"),
        command: fc.array(fc.constantFrom("firejail", "--"), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ["kind"] },
    ),
    placement: fc.constantFrom("each" as const, "one" as const),
    ...anyServer,
  },
  { requiredKeys: ["command"] },
);
const oauth = fc.oneof(
  fc.constant(false as const),
  fc.record(
    {
      account: fc.constantFrom("work", "me@example.com"),
      clientId: word,
      clientSecret: word,
      clientAuth: fc.constantFrom("none" as const, "client_secret_basic" as const),
      grant: fc.constantFrom("authorization_code" as const, "client_credentials" as const),
      scopes: fc.array(fc.constantFrom("read", "files:write"), { maxLength: 2 }),
      issuer: fc.constant("https://as.example.com"),
      redirectUri: fc.constant("http://127.0.0.1:8765/callback"),
      authorizationParams: fc.dictionary(fc.constantFrom("access_type", "prompt"), word),
      resource: fc.constantFrom(false as const, "https://example.com/mcp"),
      clientMetadataUrl: fc.constant("https://example.com/client.json"),
    },
    { requiredKeys: [] },
  ),
);
const remoteServer = fc.record(
  {
    url: fc.constantFrom("https://example.com/mcp", "http://127.0.0.1:8080/a?key=b", "HTTPS://X"),
    type: fc.constantFrom("http" as const, "sse" as const),
    headers: fc.dictionary(fc.constantFrom("Authorization", "X-Tenant"), word),
    oauth,
    credentials: fc.constant("shared" as const),
    ...anyServer,
  },
  { requiredKeys: ["url"] },
);
/** Servers that each user signs in to; only some sign-ins can be theirs. */
const perUserServer = fc.record(
  {
    url: fc.constant("https://example.com/mcp"),
    oauth: fc.record({ account: fc.constantFrom("work", "me@example.com") }),
    credentials: fc.constant("perUser" as const),
    ...anyServer,
  },
  { requiredKeys: ["url", "credentials"] },
);
const {
  limits: _limits,
  protocol: _protocol,
  isolation: _isolation,
  inheritEnv: _inheritEnv,
  ...anyTools
} = anyServer;
const scriptsServer = fc.record(
  { scripts: fc.constantFrom("./scripts", "/srv/scripts"), ...anyTools },
  { requiredKeys: ["scripts"] },
);
const server = fc.oneof(
  localServer,
  remoteServer,
  perUserServer,
  scriptsServer,
) as fc.Arbitrary<ServerInput>;
const toolbox = fc.record(
  {
    description: word,
    keywords: fc.array(word, { maxLength: 2 }),
    policy,
    mcpServers: fc.dictionary(name, server, { maxKeys: 3 }),
  },
  { requiredKeys: ["description", "mcpServers"] },
);

/** Configurations that are valid and mention no variables. */
export const validConfig = fc.record(
  {
    toolboxes: fc.dictionary(name, toolbox, { maxKeys: 3 }),
    $schema: fc.constant("./schema.json"),
    toolMode: fc.constantFrom("proxy" as const, "dynamic" as const),
    policy,
    readTool: fc.constantFrom("auto" as const, true, false),
    approvals: optional({ waitMs: fc.constantFrom(0, 45_000) }),
    timeouts,
    limits: fc.tuple(limits, optional({ rate })).map(([all, more]) => ({ ...all, ...more })),
    protocol: anyServer.protocol,
    isolation: anyServer.isolation,
    inheritEnv: anyServer.inheritEnv,
    shared: optional({ idleMs: fc.constantFrom(0, 600_000) }),
    // Read only if a text refers to a variable, which none does.
    envFiles: fc.array(fc.constantFrom("a.env", "~/b.env"), { maxLength: 2 }),
    secretCommands: fc.dictionary(
      fc.constantFrom("github", "my-token"),
      fc.record(
        {
          command: fc.array(word, { minLength: 1, maxLength: 3 }),
          timeoutMs: milliseconds,
          cacheMs: fc.constantFrom(0, 300_000),
          inheritEnv: anyServer.inheritEnv,
        },
        { requiredKeys: ["command"] },
      ),
      { maxKeys: 2 },
    ),
    http: optional({
      sessions: fc.integer({ min: 1, max: 10 }),
      bodyBytes: fc.constant(2048),
      publicUrl: fc.constantFrom("https://workbench.example.com", "http://127.0.0.1:8080"),
      tls: fc.record({ cert: word, key: word }),
      oauth: fc.record(
        {
          issuer: fc.constantFrom("https://id.example.com/realm", "http://127.0.0.1:8080"),
          resource: fc.constant("https://workbench.example.com"),
          audiences: fc.array(word, { minLength: 1, maxLength: 2 }),
          scopes: fc.dictionary(
            fc.constantFrom("wb:dev", "api://x/y"),
            optional({
              toolboxes: fc.array(name, { maxLength: 2 }),
              servers: fc.constant(["dev/x"]),
              readOnly: fc.boolean(),
              request: fc.array(fc.constantFrom("openid", "api://x/wb.dev")),
            }),
            { maxKeys: 2 },
          ),
          algorithms: fc.constantFrom(["RS256" as const], ["ES256" as const, "EdDSA" as const]),
          jwksUri: fc.constant("https://id.example.com/keys?v=1"),
          claims: optional({ scope: fc.constant("a.b"), subject: word, name: word }),
        },
        { requiredKeys: ["issuer", "resource", "audiences", "scopes"] },
      ),
    }),
    cluster: fc.record(
      {
        redis: fc.constantFrom("redis://127.0.0.1:6379", "rediss://u:p@redis.example.com/2"),
        advertise: fc.constantFrom("http://10.0.0.7:7333", "https://[::1]:7333"),
        keys: fc.constant([`${"A".repeat(43)}=`]),
        name: name,
        drainMs: milliseconds,
      },
      { requiredKeys: ["redis", "advertise", "keys"] },
    ),
    log: optional({ level: fc.constantFrom("debug" as const, "silent" as const), file: word }),
    audit: optional({
      enabled: fc.boolean(),
      arguments: fc.constantFrom("none" as const, "hash" as const, "redacted" as const),
      required: fc.boolean(),
      retainDays: fc.constantFrom(1, 90),
    }),
    results: optional({
      limit: fc.constantFrom<"client" | "off" | number>("client", "off", 20_000),
      maxBytes: fc.constantFrom(1024, 1_000_000),
      totalBytes: fc.constantFrom(1024, 1_000_000),
      idleMs: milliseconds,
    }),
    registry: fc.record(
      { url: fc.constant("https://registry.example.com"), token: fc.constant("t") },
      { requiredKeys: ["url"] },
    ),
    pins: fc.constantFrom("off" as const, "warn" as const, "enforce" as const),
    credentials: fc.constantFrom("auto" as const, "keychain" as const, "file" as const),
    discovery: fc.constantFrom("eager" as const, "lazy" as const, "off" as const),
    countTokens: fc.boolean(),
    learnFromUse: fc.boolean(),
    dashboard: optional({ payloads: fc.boolean() }),
    openBudgetTokens: fc.integer({ min: 1, max: 50_000 }),
  },
  { requiredKeys: ["toolboxes"] },
) as fc.Arbitrary<WorkbenchConfig>;

const surprise = fc.oneof(
  plainJson,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 40, "", "x", "\u0000", "a\nb"),
  fc.constantFrom<unknown>([], {}, [1], ["*"], { command: "x" }, { url: "x" }),
  fc.constantFrom<unknown>("stdio", "http", "ftp://x", "https://user:pass@example.com"),
);
const strangeKey = fc.constantFrom(
  "Dev",
  "PROD",
  "constructor",
  "toString",
  "a__b",
  "_x",
  "con",
  "..",
  "a/b",
  "",
  "comand",
  "url",
  "command",
  "type",
  "headers",
  "oauth",
  "client_id",
  "env",
  "timeouts",
  "cluster",
  "description",
);

type Damage = (node: Record<string, unknown> | unknown[]) => void;
const damage: fc.Arbitrary<Damage> = fc
  .tuple(fc.constantFrom("replace", "remove", "add"), fc.nat(), strangeKey, surprise)
  .map(([how, at, key, shared]) => (node) => {
    const value: unknown = structuredClone(shared);
    const keys = Object.keys(node);
    const chosen = keys[at % Math.max(1, keys.length)];
    if (how === "add" || chosen === undefined)
      Reflect.set(node, Array.isArray(node) ? node.length : key, value);
    else if (how === "replace") Reflect.set(node, chosen, value);
    else if (Array.isArray(node)) node.pop();
    else Reflect.deleteProperty(node, chosen);
  });

/** Configurations with up to three changes that may or may not make them invalid. */
export const damagedConfig: fc.Arbitrary<unknown> = fc
  .tuple(validConfig, fc.array(fc.tuple(fc.nat(), damage), { minLength: 1, maxLength: 3 }))
  .map(([config, damages]) => {
    const copy = structuredClone(config) as unknown as Record<string, unknown>;
    for (const [at, apply] of damages) {
      const containers = containersIn(copy);
      apply(containers[at % containers.length] ?? copy);
    }
    return copy;
  });

function containersIn(value: unknown): (Record<string, unknown> | unknown[])[] {
  if (typeof value !== "object" || value === null) return [];
  const node = value as Record<string, unknown> | unknown[];
  return [node, ...Object.values(node).flatMap(containersIn)];
}
