import type { IncomingMessage } from "node:http";

/** What the client can read. One that does not say is taken to read everything. */
export interface AcceptedTypes {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: AcceptedTypes = { json: true, events: true };
/** As the specification gives it, and clients write it. */
const USUAL = "application/json, text/event-stream";

export function acceptedTypes(request: IncomingMessage): AcceptedTypes {
  const { accept } = request.headers;
  if (accept === undefined || accept === USUAL) return BOTH;
  const ranges = accept.split(",").map((range) => range.split(";")[0]?.trim().toLowerCase());
  const allows = (type: string, group: string): boolean =>
    ranges.some((range) => range === type || range === group || range === "*/*");
  return {
    json: allows("application/json", "application/*"),
    events: allows("text/event-stream", "text/*"),
  };
}
