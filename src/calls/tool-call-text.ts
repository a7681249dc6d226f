import { inexactKey, shapeOf } from "../wire/exact-keys.ts";
import { type Span, scanMembers, withMembers } from "../wire/members.ts";
import type { IncomingRequest, JsonObject } from "../wire/messages.ts";
import type { PlainCall } from "../wire/plain-call.ts";

/** Where the tool's arguments are in the request: at the top level, or inside `use_tool`. */
export type ArgumentsAt = "params.arguments" | "params.arguments.arguments";

/**
 * The `tools/call` request for a server. Arguments and other parameters are the client's own text;
 * only the name is the server's. `further` holds more members, each preceded by a comma; `pinned`
 * are arguments with fixed values that override the client's.
 */
export function toolCallText(
  request: IncomingRequest,
  callId: number,
  nameJson: string,
  at: ArgumentsAt,
  further: string,
  pinned?: JsonObject,
): string {
  const { args, rest } = measured(request, at);
  const value = args === undefined ? "{}" : request.text.slice(args.start, args.end);
  const own = pinned === undefined ? value : withPinned(value, pinned);
  return `{"jsonrpc":"2.0","id":${callId},"method":"tools/call","params":{"name":${nameJson},"arguments":${own}${rest}${further}}}`;
}

/** Why arguments cannot be sent to a tool with fixed ones: other keys may be mistaken for those. */
export function argumentsProblem(
  request: IncomingRequest,
  at: ArgumentsAt,
  pinned: JsonObject,
): string | undefined {
  const { args } = measured(request, at);
  if (args === undefined) return undefined;
  const value = request.text.slice(args.start, args.end);
  return inexactKey(value, shapeOf(Object.keys(pinned)))?.reason;
}

/** The inner arguments of a plain call can be located only if there is nothing else beside them. */
function measured({ plain, text }: IncomingRequest, at: ArgumentsAt): Measured {
  const isCertain = plain !== undefined && (at === "params.arguments" || !plain.hasOthers);
  return isCertain ? plainArguments(plain, at) : measure(text, at);
}

interface Measured {
  args: Span | undefined;
  /** Other parameters, with their keys. */
  rest: string;
}

function plainArguments(call: PlainCall, at: ArgumentsAt): Measured {
  const own = at === "params.arguments";
  const start = own ? call.argumentsStart : call.innerStart;
  const end = own ? call.argumentsEnd : call.innerEnd;
  return { args: start === 0 ? undefined : { start, end }, rest: "" };
}

/** Finds the arguments and the other parameters. */
function measure(text: string, at: ArgumentsAt): Measured {
  const found: Measured = { args: undefined, rest: "" };
  scanMembers(text, 0, (key, start) => {
    if (key !== "params") return undefined;
    found.args = undefined;
    found.rest = "";
    return scanMembers(text, start, (param, from, skip) => {
      if (param === "name" || param === "_meta") return undefined;
      if (param === "arguments" && at === "params.arguments.arguments")
        return measureInner(text, from, found);
      const end = skip(from);
      if (param === "arguments") found.args = { start: from, end };
      else found.rest += `,${JSON.stringify(param)}:${text.slice(from, end)}`;
      return end;
    });
  });
  return found;
}

function measureInner(text: string, from: number, found: Measured): number | undefined {
  found.args = undefined;
  return scanMembers(text, from, (key, start, skip) => {
    if (key !== "arguments") return undefined;
    const end = skip(start);
    found.args = { start, end };
    return end;
  });
}

/** The client's arguments, unchanged, with the fixed ones replacing its own. */
function withPinned(args: string, pinned: JsonObject): string {
  const fixed = Object.entries(pinned).map(([key, value]) => [key, JSON.stringify(value)]);
  return withMembers(args.startsWith("{") ? args : "{}", Object.fromEntries(fixed));
}
