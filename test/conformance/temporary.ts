import { rm } from "node:fs/promises";

import { newFolder } from "../support/new-folder.ts";
/** Runs a function with a temporary directory, which is removed afterwards. */
export async function withTemporaryDirectory<T>(
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = newFolder("mcp-conformance");
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
