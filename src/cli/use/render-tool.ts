import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { cut } from "../../text/truncate.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { columns, wrap, wrapCommand } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import type { CommandWords } from "./ad-hoc.ts";

const MAX_ARGUMENTS = 200;
/** All cells of a column are padded to the widest one. */
const MAX_CELL = 100;
const MAX_PURPOSE = 160;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Lines that continue the line of a tool are indented by this. */
export const TOOL_HANG = "      ";

/** One line about a tool: its signature and purpose. */
export function renderToolLine(tool: ListedTool, { style }: Output): string {
  const { inputSchema, description, title } = tool.value;
  const name = safeLine(tool.name);
  const signature = safeLine(signatureOf(inputSchema, 72));
  const call = `${style.bold(name)}(${style.dim(signature)})`;
  const purpose = safeLine(firstSentence(textOf(description) || textOf(title), MAX_PURPOSE));
  return purpose === "" ? call : `${call} ${style.dim("—")} ${purpose}`;
}

/** Describes a tool in full: arguments and an example call. */
export function renderToolPage(call: CommandWords, tool: ListedTool, out: Output): string {
  const { style, width, tableWidth } = out;
  const { description, inputSchema, title } = tool.value;
  const schema = isObject(inputSchema) ? inputSchema : {};
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const given = Object.entries(properties);
  const rows = given
    .slice(0, MAX_ARGUMENTS)
    .map(([name, property]) => [
      style.bold(cut(safeLine(name), MAX_CELL)),
      safeLine(
        signatureOf({ properties: { _: property }, required: ["_"] }, 48).replace("_: ", ""),
      ),
      required.has(name) ? "required" : style.dim(defaultOf(property)),
      safeLine(firstSentence(isObject(property) ? textOf(property["description"]) : "", 100)),
    ]);
  const needed = given.map(([name]) => name).filter((name) => required.has(name));
  const example = [
    `mcp-workbench ${call.before}`,
    ...needed.slice(0, MAX_ARGUMENTS).map((name) => `${safeLine(name)}=…`),
    ...(call.after === undefined ? [] : [call.after]),
  ];
  const heading = textOf(title) === "" ? tool.name : `${tool.name} — ${textOf(title)}`;
  return [
    style.bold(safeLine(heading)),
    ...(textOf(description) === "" ? [] : [wrap(safeText(textOf(description)), width)]),
    "",
    ...(rows.length === 0
      ? ["It takes no arguments."]
      : ["Arguments", columns(rows, "  ", tableWidth)]),
    ...(given.length > rows.length ? [`  … and ${given.length - rows.length} more`] : []),
    "",
    "Call it with",
    wrapCommand(example.join(" "), tableWidth),
  ].join("\n");
}

function defaultOf(property: unknown): string {
  const value = isObject(property) ? property["default"] : undefined;
  return value === undefined
    ? "optional"
    : cut(safeLine(`default ${JSON.stringify(value)}`), MAX_CELL);
}

/** A tool as JSON: its definition, toolbox and server. */
export function toolReport(
  tool: ListedTool,
  place: { toolbox: string; server: string },
): JsonObject {
  return { ...tool.value, ...place };
}
