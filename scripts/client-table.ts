import { CLIENTS } from "../src/clients/table.ts";
import { CLIENT_TOOL_HINTS } from "../src/clients/tool-hints.ts";
import type { ClientRow } from "../src/clients/types.ts";

/** The table of clients for the docs. */
export function renderClientTable(): string {
  const rows = CLIENTS.map((row) => {
    const cells = [
      row.label,
      `\`${row.id}\``,
      files(row),
      row.projectFiles.map((file) => `\`${file}\``).join("<br>") || "–",
      `\`${(row.keys.at(-1) ?? []).join(".")}\``,
      loaded(row),
      token(row),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| client | name | your file | file of a project | servers under | kept loaded by | token for `--url` |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function files({ userFiles, override }: ClientRow): string {
  const own =
    "linux" in userFiles
      ? [
          ...userFiles.linux.map((file) => `Linux ${shown(file)}`),
          ...userFiles.darwin.map((file) => `macOS ${shown(file)}`),
          ...userFiles.win32.map((file) => `Windows ${shown(file)}`),
        ]
      : userFiles.map(shown);
  return [...own, ...(override === undefined ? [] : [`or ${shown(override)}`])].join("<br>");
}

const shown = (template: string): string =>
  `\`${template
    .replace("{home}", "~")
    .replace("{xdg}", "~/.config")
    .replace(/\{env:(\w+)\}/, (_all, name: string) => `$${name}`)
    .replace("{appData}", "APPDATA")}\``;

function loaded({ keepLoaded }: ClientRow): string {
  if (keepLoaded === undefined) return "–";
  return Object.entries(keepLoaded.fields)
    .map(([key, value]) => `\`"${key}": ${JSON.stringify(value)}\``)
    .join(", ");
}

/** How an entry refers to the variable with the token. */
function token({ entry }: ClientRow): string {
  if (entry.url === undefined) return "no `--url`";
  if (entry.token === undefined) return "–";
  return "field" in entry.token
    ? `\`${entry.token.field}\``
    : `\`${entry.token.reference.replace("{name}", "NAME")}\``;
}

/** The hints for clients in the `_meta` of our tools. */
export function renderHintTable(): string {
  const label = (id: string): string => CLIENTS.find((row) => row.id === id)?.label ?? id;
  const rows = CLIENT_TOOL_HINTS.map((row) => {
    const { client, alwaysLoad, searchHint, resultChars, source, date } = row;
    const cells = [
      label(client),
      code(alwaysLoad),
      code(searchHint?.key),
      resultChars
        ? `\`${resultChars.key}\` (at most ${resultChars.max.toLocaleString("en-US")})`
        : "–",
      `${source}, ${date}`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| client | keep loaded | words for its search | size of results, in characters | source |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const code = (text: string | undefined): string => (text === undefined ? "–" : `\`${text}\``);
