import { access, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";

import { workbenchError } from "../errors.ts";
import { findProgram } from "./program.ts";
import { type HostInfo, markersOf, projectFiles, userFiles } from "./paths.ts";
import { assertProjectFile } from "./project-file.ts";
import type { ClientRow } from "./types.ts";

/** Whether a client seems to be installed on this machine. */
export async function isInstalled(row: ClientRow, host: HostInfo): Promise<boolean> {
  for (const sign of markersOf(row, host)) if (await exists(sign)) return true;
  return row.program !== undefined && (await findProgram(row.program.binary, host)) !== undefined;
}

/** The file to install into: the one that exists, else the one that current versions use. */
export async function targetFile(
  row: ClientRow,
  host: HostInfo,
  project?: string,
): Promise<string> {
  const files =
    project === undefined
      ? userFiles(row, host).filter((file) => !file.includes("*"))
      : projectFiles(row, project, host);
  const [first] = files;
  if (first === undefined) {
    throw workbenchError("USAGE", { reason: `${row.label} has no configuration per project` });
  }
  if (project === undefined && !(await isInstalled(row, host))) {
    const [only = "", ...others] = markersOf(row, host);
    const reason =
      others.length === 0
        ? `${only} does not exist`
        : `none of ${[only, ...others].join(", ")} exists`;
    throw workbenchError("CLIENT_NOT_INSTALLED", { client: row.label, reason });
  }
  if (project !== undefined && !(await isFolder(project))) {
    throw workbenchError("FILE_NOT_WRITABLE", {
      file: first,
      reason: `${project} is not a folder`,
    });
  }
  let chosen = first;
  for (const file of files.toReversed()) if (await exists(file)) chosen = file;
  // A variable of the user that holds a relative path means another file in every folder.
  const folder = project ?? (isAbsolute(chosen) ? undefined : resolve("."));
  if (folder !== undefined) assertProjectFile(chosen, folder);
  return chosen;
}

// --- internal ---

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
