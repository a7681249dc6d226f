import { text as readAll } from "node:stream/consumers";

import { reasonOf, workbenchError } from "../../errors.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { Context } from "../core/command.ts";
import { argumentsFrom } from "./call-arguments.ts";

/** The arguments as JSON; the text of `--args` is passed on unchanged. */
export async function argumentsJson(
  { args, signal }: Context,
  { words, help }: { readonly words: readonly string[]; readonly help: string },
  schema: unknown,
): Promise<string> {
  const given = args.text("args");
  const json = given === "-" ? await readAll(process.stdin) : given;
  signal.throwIfAborted();
  const parsed = json === undefined ? {} : parseObject(json);
  if (words.length === 0 && json !== undefined) return json;
  return JSON.stringify(argumentsFrom(words, schema, parsed, help));
}

function parseObject(json: string): JsonObject {
  let problem = "it is not an object";
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch (error) {
    problem = reasonOf(error);
  }
  throw workbenchError("USAGE", { reason: `--args takes a JSON object: ${problem}` });
}
