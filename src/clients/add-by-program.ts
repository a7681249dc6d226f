import type { OwnEntry } from "./own-entry.ts";
import type { HostInfo } from "./paths.ts";
import type { Plan } from "./plan.ts";
import { fillArguments, findProgram, runProgram } from "./program.ts";
import { authorizationOf } from "./remote-entry.ts";
import type { ClientProgram, ClientRow } from "./types.ts";

/** Runs the client's own program to add our entry; undefined if it has none or there is nothing to add. */
export async function addByProgram(
  { row, own }: Plan,
  host: HostInfo,
): Promise<{ readonly failure: string | undefined } | undefined> {
  const { program } = row;
  const args = program && own?.isUpdate === false ? addArguments(program, row, own) : undefined;
  if (program === undefined || args === undefined) return undefined;
  const path = findProgram(program.binary, host);
  if (path === undefined) return undefined;
  const output = await runProgram(path, args, host);
  const failure =
    output === undefined ? output : `${program.binary} did not add the entry: ${output}`;
  return { failure };
}

function addArguments(
  program: ClientProgram,
  row: ClientRow,
  { name, value, launch }: OwnEntry,
): readonly string[] | undefined {
  const json = JSON.stringify(value);
  if ("url" in launch) {
    const { url, tokenVariable: variable } = launch;
    const template = [...program.addUrl, ...(variable === undefined ? [] : program.addToken)];
    const authorization = variable && authorizationOf(row, variable);
    return fillArguments(template, {
      name,
      url,
      json,
      ...(variable !== undefined && { variable }),
      ...(authorization !== undefined && { authorization }),
    });
  }
  const command = value[row.entry.command];
  // A command that is a list with its arguments has no program that would take it.
  if (typeof command !== "string") return undefined;
  return fillArguments(program.add, { name, command, args: launch.args, json });
}
