import { ServerRpcError } from "../servers/requests/ask.ts";
import { asText, isObject } from "../text/json.ts";
import type { ToolCallAnswer, WebLink } from "./contract.ts";

/** The error of a server that wants the user to open an address first. */
const URL_ELICITATION_REQUIRED = -32042;
const MAX_LINKS = 20;

/** An address that a server wants the user to open; undefined if it is none of the web. */
export function webLink(url: unknown): WebLink | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { href, origin, protocol } = new URL(url);
  return ["http:", "https:"].includes(protocol) ? { url: href, origin } : undefined;
}

/** The addresses that a server wants the user to open before the tool is called again. */
export function linksIn(error: unknown): ToolCallAnswer["links"] {
  if (!(error instanceof ServerRpcError) || error.rpc.code !== URL_ELICITATION_REQUIRED) return [];
  const { data } = error.rpc;
  const asked = isObject(data) ? data["elicitations"] : undefined;
  if (!Array.isArray(asked)) return [];
  return asked.slice(0, MAX_LINKS).flatMap((one: unknown) => {
    const { url, message } = isObject(one) ? one : {};
    const link = webLink(url);
    return link === undefined ? [] : [{ ...link, message: asText(message) }];
  });
}
