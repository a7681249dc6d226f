import * as z from "zod";
import { clientNames, toolPatterns } from "./policy-schema.ts";

/** Node.js timers fire immediately above this, so no duration may exceed it (about 24 days). */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A message must fit into one JavaScript string, with room to spare. */
const MAX_MESSAGE_BYTES = 2 ** 28;
const MAX_CALLS = 1_000_000;

export const milliseconds = (minimum: number) => z.int().min(minimum).max(MAX_TIMER_MS);
export const bytes = () => z.int().min(1024).max(MAX_MESSAGE_BYTES);

const limits = {
  messageBytes: bytes().describe(
    "Largest message accepted from a server; the top-level value also applies to clients over stdio.",
  ),
  concurrency: z
    .int()
    .min(1)
    .max(100_000)
    .describe("Largest number of calls in progress on a server at the same time."),
  queue: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe(
      "Largest number of calls that wait until one of these ends; further calls fail immediately.",
    ),
  tools: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe(
      "Largest number of tools used from a server; the rest is left out. Does not apply to `serve --server`.",
    ),
  pages: z
    .int()
    .min(1)
    .max(100_000)
    .describe("Largest number of pages in the tool list of a server."),
};

const rateLimit = z
  .strictObject({
    clients: clientNames().describe(
      "Only clients with these names or globs: of an access token, or `stdio`, `owner` or `local`. Each is counted separately. If left out, every client.",
    ),
    tools: toolPatterns().describe(
      "The tools it applies to, as `server/tool` in the names that clients see; `*` matches anything. If left out, all calls, also of prompts and resources.",
    ),
    calls: z.int().min(1).max(MAX_CALLS).describe("How many calls are allowed in this time."),
    perMs: milliseconds(1).describe("The time, in milliseconds."),
    burst: z
      .int()
      .min(1)
      .max(MAX_CALLS)
      .optional()
      .describe("How many calls are allowed at once after a pause. If left out, `calls`."),
  })
  .describe("A limit on how often a client may call.");

/** The setting `limits` at the top level. */
export const limitsSchema = z
  .strictObject({
    messageBytes: limits.messageBytes.default(16_777_216),
    concurrency: limits.concurrency.default(64),
    queue: limits.queue.default(256),
    tools: limits.tools.default(10_000),
    pages: limits.pages.default(100),
    rate: z
      .array(rateLimit)
      .default([])
      .describe(
        "How often clients may call tools and use prompts and resources; a call must satisfy every limit that matches. For the whole file, not for a server: name it in `tools`.",
      ),
  })
  .describe("Limits on what a server may send and receive, and on how often clients may call.");

/** The same of a server. */
export const serverLimitsSchema = z
  .strictObject(limits)
  .partial()
  .describe("Overrides the top-level `limits`, key by key, except `rate`.");
