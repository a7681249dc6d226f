import { z } from "zod";
import { isServerUrl, type FormatName } from "./formats.ts";
import { groupNameProblems, NAME_MAX_LENGTH, NAME_PATTERN } from "./names.ts";

/**
 * The one definition of the configuration file, in its canonical form. The TypeScript types, the
 * shipped JSON Schema, the check at start-up (`accept.ts`) and the reference table in the docs are
 * derived from it by `npm run generate`.
 *
 * It is loaded only when there is something to explain: Zod costs more time than the whole rest of
 * the start. Texts of `regex` and `refine` are shown to people as they are.
 */

/** Timers of Node.js fire at once beyond this, so no duration may exceed it (about 24 days). */
const LONGEST_TIMER = 2 ** 31 - 1;
/** One message must fit into one JavaScript string with room to spare. */
const LARGEST_MESSAGE = 2 ** 28;

const milliseconds = (minimum: number) => z.int().min(minimum).max(LONGEST_TIMER);
const bytes = () => z.int().min(1024).max(LARGEST_MESSAGE);
const processText = () =>
  // oxlint-disable-next-line no-control-regex -- the operating system refuses exactly this one
  z.string().regex(/^[^\u0000]*$/, "cannot contain a NUL character. Remove it");
const nonEmpty = () => z.string().min(1);

const URL_ADVICE =
  "is not the URL of a server. Write one that begins with http:// or https://, with credentials in 'headers' rather than in the URL";

const timeouts = {
  connectMs: milliseconds(1).describe(
    "How long a server may take to start and answer `initialize`.",
  ),
  callMs: milliseconds(1).describe(
    "How long a call may go without a sign of life; every progress notification starts it anew.",
  ),
  totalMs: milliseconds(1).describe("How long a call may take altogether, progress or not."),
  idleMs: milliseconds(0).describe(
    "A server that nobody used for this long is stopped, and started again when needed; 0 keeps it running.",
  ),
  shutdownMs: milliseconds(1).describe(
    "How long each step of stopping a server may take: end of input, then TERM, then KILL.",
  ),
};

const limits = {
  messageBytes: bytes().describe(
    "Largest single message accepted from a server, and at top level from a client over stdio.",
  ),
  concurrency: z.int().min(1).max(100_000).describe("Calls in flight to a server at one time."),
  queue: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe("Calls that may wait for a free place; further ones are refused at once."),
  tools: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe(
      "Tools that are taken from a server; further ones are left out. A view of that server alone has no such limit.",
    ),
  pages: z.int().min(1).max(100_000).describe("Pages that the list of its tools may have."),
};

const protocol = z
  .enum(["auto", "2025-11-25", "2026-07-28"])
  .describe("MCP version spoken to servers; `auto` finds out what each one understands.");

const isolation = z
  .enum(["shared", "session"])
  .describe("Whether all clients share one connection to a server or each session has its own.");

const inheritEnv = z
  .array(nonEmpty().regex(/^[^=\s]+$/, "is not the name of a variable. Write the name alone"))
  .describe(
    "Names of variables that servers inherit from the environment of the workbench, besides the harmless ones such as PATH and HOME.",
  );

const toolOverride = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9_.-]{1,128}$/,
        "is not a legal tool name. Use 1 to 128 of the letters A-Z and a-z, digits, '_', '.' and '-'",
      )
      .optional()
      .describe("Name under which the tool appears instead of its own."),
    description: nonEmpty().optional().describe("Description that replaces the tool's own."),
    hidden: z.boolean().optional().describe("Makes the tool invisible and uncallable."),
    arguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Arguments with fixed values, which the agent neither sees nor can change."),
  })
  .describe("What to change about one tool.");

/** Keys that every server may have, whatever way it is reached. */
const anyServer = {
  toolFilters: z
    .array(nonEmpty())
    .default(["*"])
    .describe(
      "Names or globs of the tools to show; `!` in front excludes. A tool that is filtered out is invisible and uncallable.",
    ),
  overrides: z
    .record(z.string(), toolOverride)
    .default({})
    .describe("Changes to single tools, under the tool's own name."),
  timeouts: z
    .strictObject(timeouts)
    .partial()
    .default({})
    .describe("Overrides the top-level `timeouts`, key by key."),
  limits: z
    .strictObject(limits)
    .partial()
    .default({})
    .describe("Overrides the top-level `limits`, key by key."),
  protocol: protocol.optional().describe("Overrides the top-level `protocol`."),
  isolation: isolation.optional().describe("Overrides the top-level `isolation`."),
  questions: z
    .enum(["duringCalls", "always", "off"])
    .default("duringCalls")
    .describe(
      "When the server may send elicitation and sampling requests to the client: only while it works on a call, at any time, or never.",
    ),
  inheritEnv: inheritEnv.optional().describe("Overrides the top-level `inheritEnv`."),
  disabled: z
    .boolean()
    .default(false)
    .describe("Keeps the entry in the file without serving it; its variables need not be set."),
};

export const localServerSchema = z
  .strictObject({
    type: z.literal("stdio").optional().describe("May be left out: `command` says as much."),
    command: processText()
      .min(1)
      .describe(
        "Program to start. A relative path such as `./server.js` counts from the folder of this file.",
      ),
    args: z.array(processText()).default([]).describe("Its arguments; no shell is involved."),
    env: z
      .record(
        z.string().regex(/^[^=\u0000]+$/, "is not the name of a variable. Write it without '='"), // oxlint-disable-line no-control-regex
        processText(),
      )
      .default({})
      .describe("Environment variables for the program."),
    cwd: processText()
      .min(1)
      .optional()
      .describe(
        "Folder to start it in. A relative path counts from the folder of this file, `~/` from the home folder.",
      ),
    ...anyServer,
  })
  .describe("A server that is started as a program and spoken to over stdio.");

export const remoteServerSchema = z
  .strictObject({
    type: z
      .enum(["http", "sse"])
      .optional()
      .describe(
        "`http` is Streamable HTTP, `sse` the older HTTP+SSE. Without it, the first is tried, then the second.",
      ),
    url: z
      .string()
      .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/|\$\{/, URL_ADVICE)
      .refine(isServerUrl, URL_ADVICE)
      .meta({ format: "server-url" satisfies FormatName })
      .describe("Where the server listens."),
    headers: z
      .record(
        z
          .string()
          .regex(
            /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
            "is not a legal header name. Correct its spelling",
          ),
        // A line break at the very end, as left by `echo` in a secret, is forgiven and removed.
        z
          .string()
          .regex(
            /^[\t\u0020-\u007e\u0080-\u00ff]*[\r\n]*$/,
            "contains a character that headers cannot carry. Remove line breaks and anything beyond Latin-1",
          ),
      )
      .default({})
      .describe("HTTP headers sent with every request."),
    ...anyServer,
  })
  .describe("A server that is reached over HTTP.");

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
      "What the toolbox is for, in a sentence: this is what the agent chooses by.",
    ),
    keywords: z
      .array(nonEmpty())
      .default([])
      .describe(
        "Further words that call for the toolbox: agents read the first of them at the start, and a search finds the toolbox by all.",
      ),
    mcpServers: named(z.union([localServerSchema, remoteServerSchema])).describe(
      "The servers of the toolbox by name, as any MCP client writes them.",
    ),
  })
  .describe("A named group of servers.");

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Where an editor finds the schema of this file."),
    toolMode: z
      .enum(["proxy", "dynamic"])
      .default("proxy")
      .describe(
        "`proxy`: the agent calls every tool through `use_tool`. `dynamic`: opening a toolbox registers its tools under their own names.",
      ),
    toolboxes: named(toolbox).describe("The toolboxes by name."),
    timeouts: z
      .strictObject({
        connectMs: timeouts.connectMs.default(30_000),
        callMs: timeouts.callMs.default(120_000),
        totalMs: timeouts.totalMs.default(600_000),
        idleMs: timeouts.idleMs.default(600_000),
        shutdownMs: timeouts.shutdownMs.default(2_000),
      })
      .prefault({})
      .describe("How long things may take, in milliseconds."),
    limits: z
      .strictObject({
        messageBytes: limits.messageBytes.default(16_777_216),
        concurrency: limits.concurrency.default(64),
        queue: limits.queue.default(256),
        tools: limits.tools.default(10_000),
        pages: limits.pages.default(100),
      })
      .prefault({})
      .describe("How much a server may ask of the workbench."),
    protocol: protocol.default("auto"),
    isolation: isolation.default("shared"),
    inheritEnv: inheritEnv.default([]),
    http: z
      .strictObject({
        sessions: z.int().min(1).max(1_000_000).default(1_000).describe("Sessions at one time."),
        sessionIdleMs: milliseconds(1)
          .default(1_800_000)
          .describe("A session that was silent for this long is ended."),
        bodyBytes: bytes().default(8_388_608).describe("Largest request body."),
      })
      .prefault({})
      .describe("Serving over HTTP."),
    log: z
      .strictObject({
        level: z
          .enum(["debug", "info", "warn", "error", "silent"])
          .default("warn")
          .describe(
            "What is worth a line. Clients show the log as the server's error output, so by default it is quiet while all is well.",
          ),
        format: z
          .enum(["text", "json"])
          .default("text")
          .describe("Lines for people or for programs."),
        file: nonEmpty()
          .optional()
          .describe(
            "File that the lines are appended to, beside standard error. A relative path counts from the folder of this file.",
          ),
      })
      .prefault({})
      .describe("What the workbench writes about its own work."),
    discovery: z
      .enum(["eager", "lazy", "off"])
      .default("lazy")
      .describe(
        "When servers that were never connected are started to learn what tools they have: `eager` soon after the start, `lazy` when a search first needs them, `off` only when somebody uses them. What was learned is kept for the next time.",
      ),
    openBudgetTokens: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(20_000)
      .describe(
        "An answer of `open_toolbox` above this many tokens begins with how to get less. Nothing is left out.",
      ),
  })
  .describe("Configuration of MCP Workbench.");

/** What people write, in the file or as an object. */
export type WorkbenchConfig = z.input<typeof configSchema>;
/** The same with all defaults in place. */
export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedServer = ParsedConfig["toolboxes"][string]["mcpServers"][string];
