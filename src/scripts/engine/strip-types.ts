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
