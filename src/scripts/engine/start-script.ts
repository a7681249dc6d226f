import { positionIn } from "../script-position.ts";
import {
  type ScriptEnd,
  type ScriptEngine,
  type ScriptStart,
  ScriptSyntaxError,
} from "./engine.ts";
import type { SyntaxProblem } from "./strip-types.ts";
import { wrapped } from "./wrapped-script.ts";

/**
 * Starts a script in an engine. Most scripts are JavaScript; types are removed from those that are not.
 * `measure` counts the time for that.
 */
export async function startScript(
  engine: ScriptEngine,
  start: ScriptStart,
  measure: <T>(strip: () => T) => T = (strip) => strip(),
): Promise<ScriptEnd | undefined> {
  // The types of a module were removed when it was read.
  if (start.module !== undefined) return engine.start(start);
  const source = wrapped(start.source);
  try {
    return engine.start({ ...start, source });
  } catch (error) {
    if (!(error instanceof ScriptSyntaxError)) throw error;
    const { stripTypes } = await import("./strip-types.ts");
    const plain = measure(() => stripTypes(source));
    if (typeof plain !== "string")
      throw isBehind(plain, error) ? new ScriptSyntaxError(plain.message, plain.stackText) : error;
    if (plain === source) throw error;
    return engine.start({ ...start, source: plain });
  }
}

/** Whether the parser for TypeScript came further than the one for JavaScript. */
function isBehind(typeScript: SyntaxProblem, javaScript: ScriptSyntaxError): boolean {
  const [one, other] = [positionIn(typeScript.stackText), positionIn(javaScript.stackText)];
  if (one === undefined || other === undefined) return false;
  return one.line > other.line || (one.line === other.line && one.column > other.column);
}
