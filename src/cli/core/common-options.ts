import type { Command, Option } from "./command.ts";

/** Options that every command has. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: "json", summary: "Print the result as one JSON document" },
  { name: "no-color", summary: "Disable colours, like NO_COLOR=1; FORCE_COLOR=1 enables them" },
  { name: "help", short: "h", summary: "Show this help" },
];

/** Options that several commands have. */
export const CONFIG: Option = {
  name: "config",
  value: "FILE",
  summary: "Use this configuration file",
  completes: "file",
};
export const ENV: Option = {
  name: "env",
  short: "e",
  value: "NAME=VALUE",
  multiple: true,
  summary: "Set an environment variable for the server; NAME alone passes your value on",
};
export const HEADER: Option = {
  name: "header",
  short: "H",
  value: '"NAME: VALUE"',
  multiple: true,
  summary: "Send this HTTP header to a server with a URL",
};

/** The options that a command shares with all others. */
export function commonOptions({ json, jsonLines }: Command): readonly Option[] {
  const known = COMMON_OPTIONS.filter(({ name }) => name !== "json" || json.length > 0);
  if (jsonLines === undefined) return known;
  const summary = "Print events as JSON, one object on each line";
  return known.map((option) => (option.name === "json" ? { ...option, summary } : option));
}

export function optionText({ name, short, value }: Option): string {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
