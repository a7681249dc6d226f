import type { ServerEntry } from "../../clients/canonical.ts";
import { OTHER } from "../../clients/categories.ts";
import { categoryOfServer } from "../../clients/propose.ts";
import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { findTrusted } from "../core/consent.ts";
import { applyEdit, type EditReport } from "./apply-edit.ts";
import { ConfigText } from "./config-edit.ts";
import { checkName } from "./config-entry.ts";
import { existingConfig, newConfigPath, planConfig } from "./config-file.ts";
import { descriptionFor } from "./description-for.ts";
import type { SecretAdditions } from "../../config/edits/stored-secrets.ts";

/** The configuration that gets a new server. */
export async function entryTarget(context: Context): Promise<ConfigText> {
  if (existingConfig(context) === undefined) return ConfigText.read(newConfigPath(context));
  return ConfigText.read((await findTrusted(context, context.args.text("config"))).file);
}

export interface NewEntry {
  readonly toolbox: string;
  readonly server: string;
  readonly entry: ServerEntry;
  readonly secrets?: SecretAdditions | undefined;
}

/** Adds an entry, unless the toolbox has one of this name and `--force` is not given. */
export async function addEntry(
  context: Context,
  config: ConfigText,
  { toolbox, server, entry, secrets }: NewEntry,
): Promise<EditReport> {
  const { args } = context;
  for (const name of [toolbox, server]) checkName(name);
  if (config.toolboxes.get(toolbox)?.has(server) === true && !args.flag("force")) {
    const hint = "Choose a different name, or replace it with --force";
    throw workbenchError("SERVER_EXISTS", { toolbox, server }, hint);
  }
  const description = args.text("description") ?? descriptionFor(server, entry);
  config.setServer(toolbox, description, server, entry);
  const edit = await planConfig(context, config.file, config.before, config.after);
  return applyEdit(
    context,
    { ...edit, ...(secrets && { secrets }) },
    { what: `add ${toolbox}/${server}`, ask: false },
  );
}

/** The toolbox given with `--toolbox`, the only one, or the one that the user chooses. */
export async function chooseToolbox(
  { args, prompt }: Context,
  config: ConfigText,
): Promise<string> {
  const named = args.text("toolbox");
  if (named !== undefined) return named;
  const names = [...config.toolboxes.keys()];
  const [only = OTHER.toolbox, ...others] = names;
  if (others.length === 0) return only;
  if (!prompt.available) {
    const hint = `Choose one with --toolbox: ${names.join(", ")}`;
    throw workbenchError("USAGE", { reason: "There are several toolboxes" }, hint);
  }
  const [chosen = 0] = await prompt.choose("Add it to which toolbox?", names, [0]);
  return names[chosen] ?? only;
}

/** The same, but any name may be typed: a new server may need a new toolbox. */
export async function askForToolbox(
  context: Context,
  config: ConfigText,
  server: string,
  entry: ServerEntry,
): Promise<string> {
  const { args, prompt } = context;
  const isSettled = args.text("toolbox") !== undefined || args.flag("yes") || args.flag("dry-run");
  if (isSettled || !prompt.available) return chooseToolbox(context, config);
  const names = [...config.toolboxes.keys()];
  const fitting = categoryOfServer(server, entry).toolbox;
  const suggested = names.includes(fitting) ? fitting : (names[0] ?? fitting);
  const known = names.length === 0 ? "" : ` (${names.join(", ")}, or a new name)`;
  return prompt.ask(`Toolbox${known}:`, suggested);
}
