import { readFile, readlink } from "node:fs/promises";

import { isPackageManager } from "../../launchers.ts";
import { processTable, type ProcessRow } from "./process-table.ts";

/** The file descriptors over which a server talks to its client. */
const STDIN_AND_STDOUT = [0, 1];

/**
 * Whether a package manager has started the server: one of its descendants has the same standard
 * input and output as the package manager, and is not a package manager itself. Installation
 * scripts have others. Undefined where this cannot be observed, which is everywhere except Linux.
 */
export async function hasHandedOver(launcher: number): Promise<boolean | undefined> {
  if (process.platform !== "linux") return undefined;
  const pipes = await pipesOf(launcher);
  if (pipes === undefined) return undefined;
  for (const { pid } of descendantsOf(launcher, await processTable()))
    if ((await pipesOf(pid)) === pipes && !isPackageManager(await commandLineOf(pid))) return true;
  return false;
}

function descendantsOf(root: number, table: readonly ProcessRow[]): ProcessRow[] {
  const found: ProcessRow[] = [];
  let parents = new Set([root]);
  while (parents.size > 0) {
    const children = table.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return found;
}

/** Identifies the standard input and output of a process; undefined if they cannot be read. */
async function pipesOf(pid: number): Promise<string | undefined> {
  try {
    const links = STDIN_AND_STDOUT.map((fd) => readlink(`/proc/${pid}/fd/${fd}`));
    return (await Promise.all(links)).join(" ");
  } catch {
    return undefined;
  }
}

async function commandLineOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return text.split("\0").filter((word) => word !== "");
}
