import { type Outcome, result } from "../../calls/outcome.ts";
import type { Gathered } from "../../workbench/gather.ts";

/** A list as the result of a request. Servers that are missing from it are named in `_meta`. */
export function listResult(
  list: string,
  texts: readonly string[],
  missing: Gathered<unknown>["missing"],
  meta: Readonly<Record<string, unknown>> = {},
): Outcome {
  const absent = missing.map(({ server, reason }) => ({ ...server.place, reason }));
  const all = { ...meta, ...(absent.length > 0 && { "mcp-workbench/missing": absent }) };
  const further = Object.keys(all).length > 0 ? `,"_meta":${JSON.stringify(all)}` : "";
  return result(`{"${list}":[${texts.join(",")}]${further}}`);
}
