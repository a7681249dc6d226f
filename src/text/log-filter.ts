import { isObject, parseJson } from "./json.ts";

/** The servers whose lines are shown: one, all with a name, or all of a toolbox. */
export interface LogFilter {
  matches(server: { readonly toolbox: string; readonly server: string }): boolean;
  /** Whether a line of the log is about such a server. */
  shows(line: string): boolean;
}

/** The filter for `TOOLBOX/SERVER`, or for the name of a toolbox or server; without text, no filter. */
export function logFilter(text: string | undefined): LogFilter {
  if (text === undefined) return { matches: () => true, shows: () => true };
  const [first = "", second] = text.split("/");
  const matches: LogFilter["matches"] = ({ toolbox, server }) =>
    second === undefined || second === ""
      ? toolbox === first || (second === undefined && server === first)
      : toolbox === first && server === second;
  return { matches, shows: (line) => placesIn(line).some(matches) };
}

/** The last lines that were not there before, given the last lines of both times. */
export function addedLines(before: readonly string[], after: readonly string[]): readonly string[] {
  for (let kept = Math.min(before.length, after.length); kept > 0; kept--) {
    const isKept = after.slice(0, kept).every((line, i) => line === before.at(i - kept));
    if (isKept) return after.slice(kept);
  }
  return after;
}

interface Place {
  readonly toolbox: string;
  readonly server: string;
}

/** The servers that a line of the log names, in its fields or in its message. */
function placesIn(line: string): Place[] {
  const fields = line.startsWith("{") ? parseJson(line) : undefined;
  if (isObject(fields) && typeof fields["server"] === "string")
    return [{ toolbox: String(fields["toolbox"] ?? ""), server: fields["server"] }];
  const message = isObject(fields) ? String(fields["message"]) : line;
  return [...IN_FIELDS, ...IN_MESSAGES].flatMap((pattern) =>
    Array.from(message.matchAll(pattern), ({ groups = {} }) => ({
      toolbox: groups["toolbox"] ?? "",
      server: groups["server"] ?? "",
    })),
  );
}

const IN_FIELDS = [/ toolbox="(?<toolbox>[^"]+)"(?: .*)? server="(?<server>[^"]+)"/g];
const IN_MESSAGES = [/server '(?<server>[^']+)' (?:in|\()\s?toolbox '(?<toolbox>[^']+)'/g];
