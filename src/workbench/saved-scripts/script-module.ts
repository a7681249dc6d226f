import { transform } from "sucrase";

/**
 * Turns a module into the body of an async function, with every token on its line: exports become
 * members of `exports`, and types are removed. Throws if it cannot be parsed.
 */
export function moduleBody(source: string): string {
  const { code } = transform(source, {
    transforms: ["typescript", "imports"],
    disableESTransforms: true,
    preserveDynamicImport: true,
  });
  return `const exports = {}; ${code}`;
}

/** Follows a body: what the script says about itself. */
export const DESCRIBE = `
;return JSON.stringify({
  description: exports.description,
  input: exports.input,
  annotations: exports.annotations,
  main: typeof exports.default,
});`;

/** Follows a body: runs the script. */
export const RUN = "\n;return await exports.default(input);";
