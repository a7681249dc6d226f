import { spawn } from "node:child_process";

import type { Environment } from "../../config/canonical/expand.ts";
import { reasonOf, workbenchError } from "../../errors.ts";

/** Opens a file in the user's editor and waits until the editor exits. */
export async function openEditor(file: string, env: Environment): Promise<void> {
  const editor = env["VISUAL"] || env["EDITOR"] || DEFAULT_EDITOR;
  // The variables hold a command line, such as `code --wait`, which a shell splits into words.
  const [program, args] =
    process.platform === "win32"
      ? (["cmd", ["/d", "/s", "/c", `"${editor} "${file}""`]] as const)
      : (["/bin/sh", ["-c", `${editor} "$1"`, "sh", file]] as const);
  const reason = await ignoringInterrupts(() => run(program, args, env));
  if (reason === undefined) return;
  const hint = "Set VISUAL or EDITOR to the editor you want, for example: export EDITOR=nano";
  throw workbenchError("USAGE", { reason: `The editor '${editor}' failed: ${reason}` }, hint);
}

const DEFAULT_EDITOR = process.platform === "win32" ? "notepad" : "vi";

/** Why the program failed; undefined if it succeeded. */
function run(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      env: { ...env },
      stdio: "inherit",
      windowsVerbatimArguments: true,
    });
    child.once("error", (error) => resolve(reasonOf(error)));
    child.once("exit", (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}

/** Leaves Ctrl-C to the editor while it uses the terminal: it must not end this program. */
async function ignoringInterrupts<T>(work: () => Promise<T>): Promise<T> {
  const handlers = process.listeners("SIGINT");
  const ignore = (): void => {};
  for (const handler of handlers) process.off("SIGINT", handler);
  process.on("SIGINT", ignore);
  try {
    return await work();
  } finally {
    process.off("SIGINT", ignore);
    for (const handler of handlers) process.on("SIGINT", handler);
  }
}
