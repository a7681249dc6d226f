import { isObject } from "../text/json.ts";

/** The part of a PreToolUse hook's settings that is ours. */
export interface HookEntry {
  readonly matcher: string;
  readonly hooks: readonly {
    readonly type: "command";
    readonly command: string;
    readonly timeout: number;
  }[];
}

/** The client waits this many seconds for an answer; then it decides without one. */
const TIMEOUT_SECONDS = 10;

/** The names that Claude Code gives to our tools that call others; `entry` is our name in its file. */
export function hookedToolNames(entry: string): Map<string, "use_tool" | "read_tool"> {
  const prefix = `mcp__${entry.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}__`;
  return new Map([
    [`${prefix}use_tool`, "use_tool"],
    [`${prefix}read_tool`, "read_tool"],
  ]);
}

/** The hook that asks the workbench before it is called under the name `entry`. */
export function hookEntry(entry: string, command: string): HookEntry {
  return {
    matcher: [...hookedToolNames(entry).keys()].join("|"),
    hooks: [{ type: "command", command, timeout: TIMEOUT_SECONDS }],
  };
}

/** Whether a single hook asks the workbench. */
export function isOwnHook(hook: unknown): hook is { readonly command: string } {
  if (!isObject(hook) || typeof hook["command"] !== "string") return false;
  return /\bdecide --hook claude-code\b/.test(hook["command"]);
}
