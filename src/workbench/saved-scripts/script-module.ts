/** The body of a function for a saved script, which is a module. The parser is loaded when it is needed. */
export async function moduleBody(source: string): Promise<string> {
  return (await import("../../scripts/engine/strip-types.ts")).moduleBody(source);
}

/** Follows a body: what the script says about itself. */
export const DESCRIBE = `
;return JSON.stringify({
  description: exports.description,
  input: exports.input,
  annotations: exports.annotations,
  run: typeof exports.run,
});`;

/** Follows a body: runs the script. Its own `input` is the schema. */
export const RUN = "\n;return await exports.run(globalThis.input);";
