import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { EXIT, isWorkbenchError, workbenchError } from "../../errors.ts";
import { readText } from "../../files/text-file.ts";
import type { Context } from "../core/command.ts";
import { findTrusted } from "../core/consent.ts";
import { safeText } from "../../text/safe-text.ts";
import { applyEdit } from "./apply-edit.ts";
import type { ConfigEdit } from "../../config/edits/config-edits.ts";
import { planConfig } from "./config-file.ts";
import { openEditor } from "./open-editor.ts";

/** `edit`: opens a copy of the configuration in the user's editor and writes it back once it is valid. */
export async function edit(context: Context): Promise<number> {
  const { args, out } = context;
  assertEditor(context);
  const { file } = await findTrusted(context, args.text("config"));
  const before = (await readText(file)) ?? "";
  const folder = await mkdtemp(join(tmpdir(), "mcp-workbench-edit-"));
  // It may contain secrets; the folder is private to the user.
  const copy = join(folder, basename(file));
  let isSaved = false;
  try {
    await writeFile(copy, before, { mode: 0o600 });
    const planned = await editUntilValid(context, file, copy, before);
    if (planned === undefined) {
      out.say("Nothing was changed.");
      out.document({ file, changed: false, diff: "", backup: null });
    } else {
      if (planned.before === planned.after) out.say("Nothing was changed.");
      out.document(await applyEdit(context, planned, { what: "edit", ask: false }));
    }
    isSaved = true;
    return EXIT.ok;
  } finally {
    if (isSaved || (await readText(copy)) === before)
      await rm(folder, { recursive: true, force: true });
    else out.warn(`Your edit was not written. It is still in ${copy}`);
  }
}

/** Without a terminal the default editor would wait forever for input. */
function assertEditor({ env, prompt }: Context): void {
  if (prompt.available || env["VISUAL"] || env["EDITOR"]) return;
  const hint = "Set VISUAL or EDITOR to a program that edits the file it is given";
  throw workbenchError("USAGE", { reason: "There is no terminal to edit in" }, hint);
}

/** The edit, or undefined if the user discards it because it is invalid. */
async function editUntilValid(
  context: Context,
  file: string,
  copy: string,
  before: string,
): Promise<ConfigEdit | undefined> {
  const { out, prompt, env, signal } = context;
  for (;;) {
    await openEditor(copy, env);
    signal.throwIfAborted();
    try {
      return await planConfig(context, file, before, await readFile(copy, "utf8"));
    } catch (error) {
      if (!isWorkbenchError(error) || error.code !== "CONFIG_INVALID") throw error;
      if (!prompt.available) throw error;
      out.say(`${out.noteStyle.red("✗")} ${safeText(error.text)}`);
      if (!(await prompt.confirm("Edit it again?", true))) return undefined;
    }
  }
}
