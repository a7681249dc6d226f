import type { Option } from "./command.ts";

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
