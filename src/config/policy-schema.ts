import * as z from "zod";
import { nonEmpty } from "./oauth-schema.ts";

const toolClass = z.enum(["read", "write", "destructive"]);
const action = z.enum(["allow", "ask", "deny"]);

/** Patterns for tools, as `server/tool`. */
export const toolPatterns = () =>
  z
    .array(
      nonEmpty().regex(
        /[/*]/,
        "is a tool without its server. Write SERVER/TOOL, or */TOOL for the tool of any server",
      ),
    )
    .min(1)
    .optional();

/** Names of principals. */
export const clientNames = () => z.array(nonEmpty()).min(1).optional();

/** The setting `class` of a tool in `overrides`. */
export const toolClassSchema = toolClass
  .optional()
  .describe(
    "How dangerous the tool is, for `policy` and `read_tool`. It replaces what the server states.",
  );

/** The setting `approvals`. */
export const approvalsSchema = z
  .strictObject({
    waitMs: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(45_000)
      .describe(
        "How long a call waits for the answer of the user. After that it fails; once it is approved, the same call passes.",
      ),
  })
  .prefault({})
  .describe("How users are asked about calls that a policy does not simply allow.");

/** The setting `readTool`. */
export const readToolSchema = z
  .union([z.literal("auto"), z.boolean()])
  .default("auto")
  .describe(
    "Whether agents get `read_tool`, which calls only tools of class `read`, so that clients can allow it without asking. `auto`: if a server has trusted annotations, or a tool the class `read`.",
  );

const policyRule = z
  .strictObject({
    tools: toolPatterns().describe(
      "The tools it applies to, as `server/tool` in the names that clients see; `*` matches anything. If left out, all.",
    ),
    class: z
      .array(toolClass)
      .min(1)
      .optional()
      .describe("Only tools of these classes. A tool of unknown class is destructive."),
    openWorld: z
      .boolean()
      .optional()
      .describe(
        "Only tools that do (`true`) or do not (`false`) interact with an open world. A tool does unless a trusted server states otherwise.",
      ),
    arguments: z
      .record(nonEmpty(), z.array(z.string()).min(1))
      .optional()
      .describe(
        "Only calls with these arguments: by dotted path, globs for a text, number or boolean as it is sent. All of them must match; one that is missing does not.",
      ),
    clients: clientNames().describe(
      "Only clients with these names: of an access token, or `stdio`, `owner` or `local`.",
    ),
    action: action.describe("Whether matching calls are allowed, denied, or need an approval."),
    reason: nonEmpty().optional().describe("Why; shown to the agent and the user."),
  })
  .describe("A rule about calls.");

/** The setting `policy`, at each of its three levels. */
export const policySchema = z
  .strictObject({
    readOnly: z
      .boolean()
      .default(false)
      .describe("Denies every tool whose class is not `read`, whatever the rules say."),
    rules: z.array(policyRule).default([]).describe("The first rule that matches a call counts."),
    default: action.default("allow").describe("What applies to calls that match no rule."),
  })
  .optional();
