import { type JsonObject, valueAt } from "../text/json.ts";

/** The columns of an export, with the path of each in an entry. */
const COLUMNS: readonly (readonly string[])[] = [
  ["run"],
  ["seq"],
  ["prev"],
  ["time"],
  ["event"],
  ["method"],
  ["id"],
  ["parent"],
  ["principal", "kind"],
  ["principal", "id"],
  ["principal", "name"],
  ["client", "name"],
  ["client", "version"],
  ["session"],
  ["toolbox"],
  ["server"],
  ["tool"],
  ["prompt"],
  ["class"],
  ["decision", "action"],
  ["decision", "rule"],
  ["decision", "channel"],
  ["decision", "approval"],
  ["argsShape"],
  ["argsHash"],
  ["args"],
  ["bytesIn"],
  ["bytesOut"],
  ["outcome"],
  ["code"],
  ["ms"],
  ["traceId"],
  ["count"],
];

export const CSV_HEADER = COLUMNS.map((path) => path.join(".")).join(",");

export function csvLine(fields: JsonObject): string {
  return COLUMNS.map((path) => csvCell(valueAt(fields, path))).join(",");
}

/** Spreadsheets execute cells that begin with one of these, also after spaces. */
const FORMULA = /^\s*[=+\-@\t\r\n|%]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
