import { foldCase } from "../text/fold-case.ts";

/** The methods of MCP, of either era and in either direction, and those of skills. */
const STANDARD: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/directory/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "skills/list",
  "skills/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
  "tasks/get",
  "tasks/result",
  "tasks/list",
  "tasks/update",
  "tasks/cancel",
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/message",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/roots/list_changed",
  "notifications/tasks",
  "notifications/tasks/status",
  "notifications/elicitation/complete",
  "notifications/subscriptions/acknowledged",
]);

export function isStandardMethod(method: string): boolean {
  return STANDARD.has(method);
}

const NO_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu;
const lettersOf = (method: string): string =>
  foldCase(method.normalize("NFKC").replace(NO_LETTER_OR_DIGIT, ""));
const STANDARD_LETTERS: ReadonlySet<string> = new Set(Array.from(STANDARD, lettersOf));

/**
 * Whether a lenient peer might take this method for a standard one, as in `Tools/Call `. The rules
 * for the standard one do not apply to it, so it must not be forwarded.
 */
export function resemblesStandardMethod(method: string): boolean {
  if (STANDARD.has(method)) return false;
  return [method, foldCase(method)].some((read) => STANDARD_LETTERS.has(lettersOf(read)));
}
