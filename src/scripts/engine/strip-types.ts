import { transform } from "sucrase";

/** JavaScript for a script in TypeScript, with every token on its line. Throws if it cannot be read. */
export function stripTypes(source: string): string {
  const { code } = transform(source, {
    transforms: ["typescript"],
    disableESTransforms: true,
    keepUnusedImports: true,
  });
  return code;
}

/**
 * The body of an async function for a module, with every token on its line: exports become members of
 * `exports`. Throws if it cannot be read.
 */
export function moduleBody(source: string): string {
  const { code } = transform(source, {
    transforms: ["typescript", "imports"],
    disableESTransforms: true,
    preserveDynamicImport: true,
  });
  return `const exports = {}; ${code}`;
}
