import { createHmac } from "node:crypto";
import type { ClientCall } from "../calls/call.ts";
import { writtenArguments } from "../calls/request-text.ts";
import type { AuditSettings } from "../config/types.ts";
import { isPossiblySecretName, tokensIn } from "../secrets/patterns.ts";
import type { Redact } from "../secrets/redact.ts";
import { redactStart } from "../secrets/redact-start.ts";
import { parseJson } from "../text/json.ts";
import { cut } from "../text/truncate.ts";
import { memberText, membersOf } from "../wire/members.ts";
import { type Leaf, shapeOf, summaryOf } from "./shape.ts";

/** Larger arguments are not parsed: only their top-level keys are recorded. */
const MAX_PARSED_CHARS = 64 * 1024;
const MAX_VALUE_CHARS = 200;
const MAX_REDACTED_CHARS = 8 * 1024;
const MASK = "[redacted]";

/** The part of an entry that concerns arguments. */
export interface RecordedArguments {
  readonly argsShape?: unknown;
  readonly argsHash?: string;
  readonly args?: unknown;
}

export function recordedArguments(
  call: ClientCall,
  mode: AuditSettings["arguments"],
  key: () => string,
  redact: Redact,
): RecordedArguments {
  if (mode === "none") return {};
  const text = argumentsText(call);
  if (text === undefined) return {};
  if (mode === "hash") return { argsHash: createHmac("sha256", key()).update(text).digest("hex") };
  if (text.length > MAX_PARSED_CHARS) return { argsShape: shapeOfLarge(text, redact) };
  const value = parseJson(text);
  if (mode === "shape") return { argsShape: shapeOf(value, redact) };
  const args = summaryOf(value, shownValue(redact), redact);
  // Many values of moderate size would still make a large entry.
  const isSmall = JSON.stringify(args).length <= MAX_REDACTED_CHARS;
  return isSmall ? { args } : { argsShape: shapeOf(value, redact) };
}

/** The arguments as the client wrote them; all parameters for methods without arguments. */
function argumentsText({ request, destination }: ClientCall): string | undefined {
  if (request.method === "tools/call")
    return writtenArguments(
      request,
      destination?.server && destination.tool ? destination.argumentsAt : "params.arguments",
    );
  const params = memberText(request.text, "params");
  return params !== undefined && request.method === "prompts/get"
    ? memberText(params, "arguments")
    : params;
}

/** The last value of a repeated key counts, as in JSON.parse. */
function shapeOfLarge(text: string, redact: Redact): unknown {
  const members = membersOf(text);
  if (members === undefined) return "large";
  const typeAt = (start: number): unknown =>
    TYPES.find(([pattern]) => pattern.test(text[start] ?? ""))?.[1] ?? "number";
  const types = Array.from(members, ([name, { start }]) => [name, typeAt(start)] as const);
  // It is limited like any other shape; its leaves are types already.
  return summaryOf(Object.fromEntries(types), (type) => type, redact);
}

const TYPES = [
  [/"/, "string"],
  [/\{/, "object"],
  [/\[/, "array"],
  [/[tf]/, "boolean"],
  [/n/, "null"],
] as const;

/** Values that look like secrets are hidden, too: agents pass secrets that no configuration has. */
function shownValue(redact: Redact): Leaf {
  return (value, key) => {
    if (typeof value !== "string") return value;
    if (isPossiblySecretName(key) || tokensIn(value).length > 0) return MASK;
    // Known secrets are replaced before it is cut: the start of one would not be recognized.
    return value.length > MAX_VALUE_CHARS
      ? cut(redactStart(redact, value), MAX_VALUE_CHARS)
      : value;
  };
}
