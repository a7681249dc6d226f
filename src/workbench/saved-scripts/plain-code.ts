import { loadFailureText } from "../../scripts/script-failure.ts";
import type { ScriptFile } from "./script-files.ts";

/** A script without types, with every token where it was. Throws if it cannot be read. */
export async function plainCode({ file, source }: ScriptFile): Promise<string> {
  if (!file.endsWith(".ts")) return source;
  // The parser is loaded when it is needed.
  const { stripTypes } = await import("../../scripts/engine/strip-types.ts");
  const plain = stripTypes(source, 0);
  if (typeof plain === "string") return plain;
  const error = { name: "SyntaxError", message: plain.message, stack: plain.stackText };
  throw new Error(loadFailureText({ kind: "error", error }, source));
}
