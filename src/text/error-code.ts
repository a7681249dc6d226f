/** The `code` of the innermost cause of an error. */
export function codeOf(error: unknown, depth = 8): string | undefined {
  if (typeof error !== "object" || error === null || depth === 0) return undefined;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return codeOf(cause, depth - 1) ?? (typeof code === "string" ? code : undefined);
}
