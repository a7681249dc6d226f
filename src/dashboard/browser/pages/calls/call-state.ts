import type { CallState, LiveCall } from "../../../contract.ts";
import type { Tone } from "../../parts/badge.tsx";

export const CALL_STATES: Readonly<
  Record<CallState, { readonly tone: Tone; readonly text: string }>
> = {
  running: { tone: "neutral", text: "Running" },
  ok: { tone: "good", text: "Succeeded" },
  tool_error: { tone: "bad", text: "Tool error" },
  error: { tone: "bad", text: "Failed" },
  denied: { tone: "warn", text: "Denied" },
  cancelled: { tone: "warn", text: "Cancelled" },
  timeout: { tone: "bad", text: "Timed out" },
};

/** Where a call goes: a tool, or a method of a server or of the workbench. */
export function placeOf({ toolbox, server }: LiveCall): string {
  return [toolbox, server].filter((part) => part !== null).join("/");
}

/** The client as it describes itself, or else for whom the call was made. */
export function callerOf({ client, principal }: LiveCall): string {
  return client === null || client.name === "" ? principal.name : client.name;
}
