import * as z from "zod";
import { auditSchema } from "./audit-schema.ts";
import { clusterSchema } from "./cluster-schema.ts";
import { scriptsSchema } from "./scripts-schema.ts";
import { isServerUrl, type FormatName } from "./check/formats.ts";
import { httpSchema } from "./http-schema.ts";
import { limitsSchema, milliseconds, serverLimitsSchema } from "./limits-schema.ts";
import { nonEmpty, oauthSchema } from "./oauth-schema.ts";
import { toolOverrideSchema } from "./override-schema.ts";
import { approvalsSchema, policySchema, readToolSchema } from "./policy-schema.ts";
import { registrySchema } from "./registry-schema.ts";
import { resultsSchema } from "./results-schema.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { groupNameProblems, NAME_MAX_LENGTH, NAME_PATTERN } from "./check/names.ts";

/**
 * The definition of the configuration file, in its canonical form. The TypeScript types are inferred
 * from it; the published JSON Schema, the rules of the fast check and the reference table in the docs
 * are generated from it by `npm run generate`.
 *
 * It is loaded only to explain what is wrong, because loading Zod takes longer than the rest of the
 * start-up. The messages of `regex` and `refine` are shown to users as they are. Zod is imported as a
 * namespace so that the bundler can drop what is not used, three quarters of it.
 */

const processText = () =>
  // oxlint-disable-next-line no-control-regex -- the operating system rejects exactly this one
  z.string().regex(/^[^\u0000]*$/, "cannot contain a NUL character. Remove it");

const URL_ADVICE =
  "is not a server URL. It must begin with http:// or https://; put credentials in 'headers', not in the URL";

const timeouts = {
  connectMs: milliseconds(1).describe(
    "How long a server may take to start and answer `initialize`, not counting a download by `npx` and the like.",
  ),
  callMs: milliseconds(1).describe(
    "How long a call may go without an answer; every progress notification restarts the time.",
  ),
  totalMs: milliseconds(1).describe("How long a call may take in total, with or without progress."),
  idleMs: milliseconds(0).describe(
    "A server that was not used for this long is stopped, and started again when needed; 0 keeps it running.",
  ),
  shutdownMs: milliseconds(1).describe(
    "How long each step of stopping a server may take: closing its input, then SIGTERM, then SIGKILL.",
  ),
};

const protocol = z
  .enum(["auto", "2025-11-25", "2026-07-28"])
  .describe("MCP version used with servers; `auto` detects what each one supports.");

const isolation = z
  .enum(["shared", "capabilities", "session"])
  .describe(
    "Who shares a connection to a server: all clients, those with the same capabilities, or none (`session`). A legacy server learns the capabilities of a client once, so without `serve --shared`, `shared` means the same as `capabilities`.",
  );

const inheritEnv = z
  .array(nonEmpty().regex(/^[^=\s]+$/, "is not the name of a variable. Write only the name"))
  .describe(
    "Names of variables that servers inherit from the environment of the workbench, in addition to harmless ones such as PATH and HOME.",
  );

const secretCommand = z
  .strictObject({
    command: z
      .array(processText())
      .min(1)
      .describe(
        'The program and its arguments, such as `["pass", "show", "github"]`; no shell is used.',
      ),
    timeoutMs: milliseconds(1)
      .default(10_000)
      .describe("How long it may take. After that, it and all processes it started are ended."),
    cacheMs: milliseconds(0)
      .default(300_000)
      .describe("How long its output is used before the program runs again."),
    inheritEnv: inheritEnv.optional().describe("Overrides the top-level `inheritEnv`."),
  })
  .describe("A program that prints a secret on its standard output.");

/** Keys about the tools of a server, whatever it is. */
const anyTools = {
  toolFilters: z
    .array(nonEmpty())
    .default(["*"])
    .describe(
      "Names or globs of the tools to show; a leading `!` excludes. A tool that is filtered out is hidden and cannot be called.",
    ),
  overrides: z
    .record(z.string(), toolOverrideSchema)
    .default({})
    .describe("Changes to individual tools, by the tool's own name."),
  annotations: z
    .enum(["trust", "ignore"])
    .default("ignore")
    .describe(
      "Whether to believe what the server states about the effects of its tools. If not, every tool without a `class` counts as destructive.",
    ),
  policy: policySchema.describe("Which of its tools clients may call, and how."),
  timeouts: z
    .strictObject(timeouts)
    .partial()
    .default({})
    .describe("Overrides the top-level `timeouts`, key by key."),
  disabled: z
    .boolean()
    .default(false)
    .describe("Keeps the entry in the file but does not use it; its variables need not be set."),
};

/** Keys that every server outside of the workbench may have, whatever its transport. */
const anyServer = {
  ...anyTools,
  limits: serverLimitsSchema.default({}),
  protocol: protocol.optional().describe("Overrides the top-level `protocol`."),
  isolation: isolation.optional().describe("Overrides the top-level `isolation`."),
  questions: z
    .enum(["duringCalls", "always", "off"])
    .default("duringCalls")
    .describe(
      "When the server may send elicitation and sampling requests to the client: only during a call, at any time, or never.",
    ),
  inheritEnv: inheritEnv.optional().describe("Overrides the top-level `inheritEnv`."),
};

export const localServerSchema = z
  .strictObject({
    type: z.literal("stdio").optional().describe("May be left out: `command` implies it."),
    command: processText()
      .min(1)
      .describe(
        "Program to start. A relative path such as `./server.js` is resolved against the folder of this file.",
      ),
    args: z.array(processText()).default([]).describe("Its arguments; no shell is used."),
    env: z
      .record(
        z.string().regex(/^[^=\u0000]+$/, "is not the name of a variable. Remove the '='"), // oxlint-disable-line no-control-regex
        processText(),
      )
      .default({})
      .describe("Environment variables for the program."),
    envFile: processText()
      .min(1)
      .optional()
      .describe(
        "File with lines of `NAME=value`, read when the server is started: more environment variables for the program. `env` wins. A relative path is resolved against the folder of this file.",
      ),
    cwd: processText()
      .min(1)
      .optional()
      .describe(
        "Working directory. A relative path is resolved against the folder of this file, `~/` against the home folder.",
      ),
    sandbox: sandboxSchema.optional(),
    placement: z
      .enum(["each", "one"])
      .default("each")
      .describe(
        "With `cluster`: whether each replica starts the server, or only `one` of them, to which the others pass their calls. For servers that keep state or need something for themselves.",
      ),
    ...anyServer,
  })
  .describe("A server that is started as a program and connected over stdio.");

export const remoteServerSchema = z
  .strictObject({
    type: z
      .enum(["http", "sse"])
      .optional()
      .describe(
        "`http` is Streamable HTTP, `sse` is the older HTTP+SSE. If left out, Streamable HTTP is tried first, then HTTP+SSE.",
      ),
    url: z
      .string()
      .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/|\$\{/, URL_ADVICE)
      .refine(isServerUrl, URL_ADVICE)
      .meta({ format: "server-url" satisfies FormatName })
      .describe("URL of the MCP endpoint."),
    headers: z
      .record(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "is not a valid header name. Correct it"),
        // A trailing line break, as `echo` leaves one in a secret, is accepted and removed.
        z
          .string()
          .regex(
            /^[\t\u0020-\u007e\u0080-\u00ff]*[\r\n]*$/,
            "contains a character that is not allowed in headers. Remove line breaks and characters outside Latin-1",
          ),
      )
      .default({})
      .describe(
        "HTTP headers sent with every request. An `Authorization` header turns `oauth` off.",
      ),
    oauth: z
      .union([z.literal(false), oauthSchema])
      .optional()
      .describe(
        "How to sign in with OAuth. If left out, that happens when the server asks for it; `false` turns it off.",
      ),
    credentials: z
      .enum(["shared", "perUser"])
      .default("shared")
      .describe(
        "Whose sign-in is used: one for all clients, or one for each user (you, each access token, each user of an identity provider).",
      ),
    ...anyServer,
  })
  .describe("A server that is connected over HTTP.");

export const scriptsServerSchema = z
  .strictObject({
    scripts: processText()
      .min(1)
      .describe(
        "Folder with saved scripts: each `.ts` or `.js` file is a tool of this entry. A relative path is resolved against the folder of this file.",
      ),
    ...anyTools,
  })
  .describe("Saved scripts as tools; they run in the sandbox of `run_script`.");

const nameRule = { type: "string", pattern: NAME_PATTERN.source, maxLength: NAME_MAX_LENGTH };

/** A record whose keys are names of toolboxes or servers. */
const named = <T extends z.ZodType>(entry: T) =>
  z
    .record(z.string(), entry)
    .superRefine((group, context) => {
      for (const { name, message } of groupNameProblems(group)) {
        context.addIssue({ code: "custom", path: [name], message, params: { at: "key" } });
      }
    })
    .meta({ propertyNames: nameRule });

const toolbox = z
  .strictObject({
    description: nonEmpty().describe(
      "What the toolbox is for, in one sentence. Agents choose a toolbox by it.",
    ),
    keywords: z
      .array(nonEmpty())
      .default([])
      .describe(
        "Words that users say when they need the toolbox. Agents see the first few at the start; a search matches all of them.",
      ),
    policy: policySchema.describe("Which tools of the toolbox clients may call, and how."),
    mcpServers: named(
      z.union([localServerSchema, remoteServerSchema, scriptsServerSchema]),
    ).describe("The servers of the toolbox by name, in the format of any MCP client."),
  })
  .describe("A named group of servers.");

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Where editors find the schema of this file."),
    toolMode: z
      .enum(["proxy", "dynamic"])
      .default("proxy")
      .describe(
        "`proxy`: the agent calls every tool through `use_tool`. `dynamic`: opening a toolbox registers its tools under their own names.",
      ),
    toolboxes: named(toolbox).describe("The toolboxes by name."),
    policy: policySchema.describe(
      "Which tools clients may call, and how. A toolbox and a server may have their own; the strictest of them counts.",
    ),
    readTool: readToolSchema,
    approvals: approvalsSchema,
    envFiles: z
      .array(nonEmpty())
      .optional()
      .describe(
        "Files with lines of `NAME=value` for the `${NAME}` references of this file; they win over the environment. Only their owner may have access to them. A relative path is resolved against the folder of this file. By default `secrets.env` in that folder, if it exists.",
      ),
    secretCommands: z
      .record(
        z
          .string()
          .regex(
            /^[A-Za-z_][\w.-]*$/,
            "is not a valid name. Use letters, digits, '_', '-' and '.'",
          ),
        secretCommand,
      )
      .default({})
      .describe(
        "Programs that print a secret, by name. `${command:NAME}` in a server's entry refers to one; it runs when the server is started.",
      ),
    timeouts: z
      .strictObject({
        connectMs: timeouts.connectMs.default(30_000),
        callMs: timeouts.callMs.default(120_000),
        totalMs: timeouts.totalMs.default(600_000),
        idleMs: timeouts.idleMs.default(600_000),
        shutdownMs: timeouts.shutdownMs.default(2_000),
      })
      .prefault({})
      .describe("Time limits, in milliseconds."),
    limits: limitsSchema.prefault({}),
    protocol: protocol.default("auto"),
    isolation: isolation.default("shared"),
    inheritEnv: inheritEnv.default([]),
    http: httpSchema.prefault({}),
    cluster: clusterSchema.optional(),
    shared: z
      .strictObject({
        idleMs: milliseconds(0)
          .default(600_000)
          .describe("How long it runs without clients; 0 keeps it running until `stop`."),
      })
      .prefault({})
      .describe("The process that clients share with `serve --shared`."),
    log: z
      .strictObject({
        level: z
          .enum(["debug", "info", "warn", "error", "silent"])
          .default("warn")
          .describe(
            "Least severe level that is logged. Clients show the log as the server's error output, so by default only problems are logged.",
          ),
        format: z
          .enum(["text", "json"])
          .default("text")
          .describe("Lines of text, or of JSON for programs."),
        file: nonEmpty()
          .optional()
          .describe(
            "File to log to, in addition to standard error. A relative path is resolved against the folder of this file.",
          ),
      })
      .prefault({})
      .describe("The log of the workbench."),
    audit: auditSchema.prefault({}),
    results: resultsSchema.prefault({}),
    scripts: scriptsSchema.prefault({}),
    credentials: z
      .enum(["auto", "keychain", "file"])
      .default("auto")
      .describe(
        "How the tokens of sign-ins are protected: encrypted with a key from the keychain of the system, in files that only the user can read, or the former where it is available (`auto`).",
      ),
    pins: z
      .enum(["off", "warn", "enforce"])
      .optional()
      .describe(
        "What happens if a server defines something other than what `workbench-lock.json` next to this file records. `off`: nothing. `warn`: the log and `status` report it. `enforce`: changed and new tools, prompts, resource templates and instructions are withheld, and everything is without a valid lock file. Default: `warn` if there is a lock file, otherwise `off`.",
      ),
    registry: registrySchema,
    discovery: z
      .enum(["eager", "lazy", "off"])
      .default("lazy")
      .describe(
        "When servers that were never connected are started to read their tools: `eager` soon after the start, `lazy` when a search first needs them, `off` only when they are used. The result is cached for the next start.",
      ),
    countTokens: z
      .boolean()
      .default(false)
      .describe(
        "Whether to count the tokens that clients saved and what discovery cost, for `mcp-workbench tokens --used`. Only numbers are stored, by client and toolbox.",
      ),
    learnFromUse: z
      .boolean()
      .default(false)
      .describe(
        "Whether a search ranks tools higher that you used after similar searches. Only the stems of the words and the names of the tools are stored, on this machine; clients with an access token neither add to it nor notice it.",
      ),
    dashboard: z
      .strictObject({
        payloads: z
          .boolean()
          .default(false)
          .describe(
            "Whether the dashboard shows the arguments and results of calls, with known secrets removed. They are kept in memory only, while a dashboard is open.",
          ),
      })
      .prefault({})
      .describe("The dashboard, which `mcp-workbench dashboard` opens."),
    openBudgetTokens: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(20_000)
      .describe(
        "An `open_toolbox` result above this many tokens begins with how to get a shorter one. Nothing is left out.",
      ),
  })
  .describe("Configuration of MCP Workbench.");

/** The configuration as users write it, in the file or as an object. */
export type WorkbenchConfig = z.input<typeof configSchema>;
/** The same with all defaults applied. */
export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedServer = ParsedConfig["toolboxes"][string]["mcpServers"][string];
