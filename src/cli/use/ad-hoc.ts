import { isRemote } from "../../config/is-remote.ts";
import { WorkbenchError, isWorkbenchError } from "../../errors.ts";
import { shellWords } from "../../text/shell-words.ts";
import { AD_HOC, type Target } from "./target.ts";

/** A command about a tool: the words before and after its arguments. */
export interface CommandWords {
  readonly before: string;
  readonly after?: string;
}

/** The `list` or `call` command for a tool of this target. */
export function commandFor(
  verb: "list" | "call",
  tool: string,
  { path, isAdHoc, settings }: Target,
): CommandWords {
  const { toolbox = "", server = "" } = path;
  const named = shellWords([tool]);
  if (!isAdHoc) return { before: `${verb} ${toolbox}/${server}/${named}` };
  const transport = settings.toolboxes.get(toolbox)?.servers.get(server)?.transport;
  if (transport?.kind !== "stdio") {
    const url = transport !== undefined && isRemote(transport) ? transport.url : "URL";
    return { before: `${verb} ${shellWords([url])} ${named}` };
  }
  const program = shellWords([transport.command, ...transport.args]);
  return { before: `${verb} ${named}`, after: `-- ${program}` };
}

/** Runs some work; errors about a server from the command line do not mention its internal toolbox. */
export async function withoutAdHocNames<T>(
  { isAdHoc }: Target,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAdHoc || !isWorkbenchError(error)) throw error;
    const { code, message, hint, reason, cause } = error;
    const shown = withoutConfiguration(message);
    if (code !== "SIGN_IN_REQUIRED") throw new WorkbenchError(code, shown, hint, reason, cause);
    // Only a server of the configuration has a name to sign in with.
    const withoutLogin = { code: error.causeCode };
    throw new WorkbenchError(code, shown, ADD_FIRST, reason, withoutLogin);
  }
}

const ADD_FIRST =
  "Add it, then sign in: mcp-workbench add NAME URL --toolbox TOOLBOX, then mcp-workbench login TOOLBOX/NAME";

function withoutConfiguration(message: string): string {
  return message
    .replace(` in toolbox '${AD_HOC}'`, "")
    .replace(` (toolbox '${AD_HOC}')`, "")
    .replace(/ in the configuration\b/, "");
}
