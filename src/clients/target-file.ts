import { access } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";

import { workbenchError } from "../errors.ts";
import { isFolder } from "../files/write-atomic.ts";
import { findProgram } from "./program.ts";
import { type HostInfo, markersOf, projectFiles, resolvePath, userFiles } from "./paths.ts";
import { assertProjectFile } from "./project-file.ts";
import type { ClientRow } from "./types.ts";

/** Whether a client seems to be installed on this machine. */
export async function isInstalled(row: ClientRow, host: HostInfo): Promise<boolean> {
  for (const sign of markersOf(row, host)) if (await exists(sign)) return true;
  const binary = row.program?.binary ?? row.binary;
  return binary !== undefined && findProgram(binary, host) !== undefined;
}

/** The file to install into: the one that exists, else the one that the client would create. */
export async function targetFile(
  row: ClientRow,
  host: HostInfo,
  project?: string,
): Promise<string> {
  const files =
    project === undefined
      ? userFiles(row, host).filter((file) => !file.includes("*"))
      : projectFiles(row, project, host).filter((file) => !file.includes("*"));
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
    const binary = row.program?.binary ?? row.binary;
    const alsoOnPath = binary === undefined ? "" : `, and '${binary}' is not on the PATH`;
    throw workbenchError("CLIENT_NOT_INSTALLED", {
      client: row.label,
      reason: reason + alsoOnPath,
    });
  }
  if (project !== undefined && !(await isFolder(project))) {
    throw workbenchError("FILE_NOT_WRITABLE", {
      file: first,
      reason: `${project} is not a folder`,
    });
  }
  let chosen = project === undefined ? await newFile(row, host, files, first) : first;
  for (const file of files.toReversed()) if (await exists(file)) chosen = file;
  // A variable of the user that holds a relative path means another file in every folder.
  const folder = project ?? (isAbsolute(chosen) ? undefined : resolve("."));
  if (folder !== undefined) assertProjectFile(chosen, folder);
  return chosen;
}

/** The file to create if there is none. */
async function newFile(
  { newFile: choice }: ClientRow,
  host: HostInfo,
  files: readonly string[],
  first: string,
): Promise<string> {
  const file = choice?.path === undefined ? undefined : resolvePath(choice.path, host);
  if (file === undefined || !files.includes(file)) return first;
  const other = choice?.unless === undefined ? undefined : resolvePath(choice.unless, host);
  return other !== undefined && (await exists(other)) ? first : file;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
