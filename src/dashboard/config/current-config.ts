import { parseConfig } from "../../config/load.ts";
import { readText, styleOf } from "../../files/text-file.ts";
import type { DashboardContext } from "../context.ts";
import { type HiddenText, hideSecrets } from "./hidden-secrets.ts";

/** The configuration file as it is now. */
export interface CurrentConfig {
  readonly file: string;
  readonly text: string;
  readonly hidden: HiddenText;
}

/** Undefined if the workbench runs without a file. */
export async function currentConfig({
  workbench,
}: Pick<DashboardContext, "workbench">): Promise<CurrentConfig | undefined> {
  const { file, secrets } = workbench.settings;
  if (file === undefined) return undefined;
  const text = (await readText(file)) ?? "";
  // The values of variables are not in the file.
  const options = { file, env: {}, readsSecrets: false };
  const own = await parseConfig(text, options).then(
    (settings) => settings.secrets,
    // Of an invalid text, what was known before.
    () => secrets,
  );
  return { file, text, hidden: hideSecrets(text, own) };
}

/** What is written if the page has this text: with secrets, and with the line ends of the file. */
export function editedText({ text, hidden }: CurrentConfig, shown: string): string {
  const { eol } = styleOf(text);
  // Browsers write `\n` only.
  const lines = shown.replaceAll(/\r\n?/g, "\n");
  return hidden.restore(eol === "\n" ? lines : lines.replaceAll("\n", eol));
}
