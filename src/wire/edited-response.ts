import { Line } from "./lines.ts";
import { type ServerResponse, readServerLine } from "./response.ts";

/** A response with another text; the response itself if that is not one, or there is none. */
export function editedResponse(
  response: ServerResponse,
  edit: (text: string) => string | undefined,
): ServerResponse {
  const edited = edit(response.withId(String(response.id)));
  const read = edited === undefined ? undefined : readServerLine(Line.of(edited));
  return read?.kind === "answer" ? read.response : response;
}
