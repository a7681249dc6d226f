import type { WorkbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import { isObject } from "../../wire/messages.ts";
import type { Scope } from "../scopes.ts";
import { firstKeys, refuseInput } from "./input.ts";

/** The error for an input that does not name a toolbox: the call that was meant, or the choices. */
export function refuseToolbox(
  metaTool: "open_toolbox" | "close_toolbox",
  input: unknown,
  scope: Scope,
): Promise<WorkbenchError> {
  const explained = firstKeys(input);
  const values = isObject(explained) ? Object.values(explained).flat() : [explained];
  const meant = values.find((value) => typeof value === "string" && scope.has(value));
  const hint =
    meant === undefined
      ? choices("", scope.keys())
      : `Call ${metaTool} with ${JSON.stringify({ toolbox: meant })}`;
  return refuseInput(metaTool, explained, hint);
}
