import { type Span, scanMembers, withMembers } from "../wire/members.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../wire/messages.ts";

/** Where in the request the tool's own arguments stand: of the tool itself, or inside `use_tool`. */
export type ArgumentsAt = "params.arguments" | "params.arguments.arguments";

/**
 * The `tools/call` a server hears. Arguments and all further parameters are the client's own text;
 * only the name is the server's. `further` holds more members, each with a comma in front; `pinned`
 * are arguments whose values are fixed, whatever the client gives for them.
 */
export function toolCallText(
  request: IncomingRequest,
  callId: number,
  nameJson: string,
  at: ArgumentsAt,
  further: string,
  pinned?: JsonObject,
): string {
  const spans = measure(request.text, at);
  const body =
    spans === undefined
      ? parsedBody(request, at, pinned)
      : measuredBody(request.text, spans, pinned);
  return `{"jsonrpc":"2.0","id":${callId},"method":"tools/call","params":{"name":${nameJson},${body}${further}}}`;
}

interface Measured {
  args: Span | undefined;
  /** Further parameters, with their keys. */
  rest: string;
}

/** Finds the arguments and the further parameters; undefined if the text cannot be measured. */
function measure(text: string, at: ArgumentsAt): Measured | undefined {
  const found: Measured = { args: undefined, rest: "" };
  let readable = true;
  const whole = scanMembers(text, 0, (key, start) => {
    if (key !== "params") return undefined;
    found.args = undefined;
    found.rest = "";
    const end = scanMembers(text, start, (param, from, skip) => {
      if (param === "name" || param === "_meta") return undefined;
      if (param === "arguments" && at === "params.arguments.arguments") {
        const inner = measureInner(text, from, found);
        readable &&= inner !== undefined;
        return inner;
      }
      const valueEnds = skip(from);
      if (param === "arguments") found.args = { start: from, end: valueEnds };
      else found.rest += `,"${param}":${text.slice(from, valueEnds)}`;
      return valueEnds;
    });
    readable &&= end !== undefined;
    return end;
  });
  return readable && whole !== undefined ? found : undefined;
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

function measuredBody(
  text: string,
  { args, rest }: Measured,
  pinned: JsonObject | undefined,
): string {
  const value = args === undefined ? "{}" : text.slice(args.start, args.end);
  return `"arguments":${pinned === undefined ? value : withPinned(value, pinned)}${rest}`;
}

/** The client's arguments, as it wrote them, with the fixed ones in place of its own. */
function withPinned(args: string, pinned: JsonObject): string {
  const fixed = Object.entries(pinned).map(([key, value]) => [key, JSON.stringify(value)]);
  return withMembers(args.startsWith("{") ? args : "{}", Object.fromEntries(fixed));
}

/** For a text that cannot be measured, such as keys written with escapes. */
function parsedBody(
  request: IncomingRequest,
  at: ArgumentsAt,
  pinned: JsonObject | undefined,
): string {
  const { name: _name, _meta, arguments: outer, ...rest } = request.params;
  const inner = isObject(outer) ? outer["arguments"] : undefined;
  const given = at === "params.arguments" ? outer : inner;
  const args = pinned === undefined ? (given ?? {}) : { ...(isObject(given) && given), ...pinned };
  return JSON.stringify({ arguments: args, ...rest }).slice(1, -1);
}
