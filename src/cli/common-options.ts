import type { Command, Option } from "./command.ts";

/** Options that every command has. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: "json", summary: "Give the result as one JSON document" },
  { name: "no-color", summary: "No colours; NO_COLOR=1 does the same, FORCE_COLOR=1 the opposite" },
  { name: "help", short: "h", summary: "Show this help" },
];

/** Options that several commands have. */
export const CONFIG: Option = {
  name: "config",
  value: "FILE",
  summary: "The configuration, instead of the one that is found",
  completes: "file",
};
export const ENV: Option = {
  name: "env",
  short: "e",
  value: "NAME=VALUE",
  multiple: true,
  summary: "A variable for a server that is started here; NAME alone hands on yours",
};
export const HEADER: Option = {
  name: "header",
  short: "H",
  value: '"NAME: VALUE"',
  multiple: true,
  summary: "An HTTP header for a server with a URL",
};

/** The options that a command shares with all others. */
export function commonOptions({ json }: Command): readonly Option[] {
  return COMMON_OPTIONS.filter(({ name }) => name !== "json" || json.length > 0);
}

export function optionText({ name, short, value }: Option): string {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
