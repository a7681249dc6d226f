import { reasonOf, workbenchError } from "../errors.ts";
import { isWithin, realPathOf } from "../files/real-path.ts";

/**
 * Throws if symbolic links make a file of a project lead out of the project's folder: a repository
 * could otherwise choose which of the user's files is edited.
 */
export function assertInsideProject(file: string, project: string): void {
  const reason = outsideReason(file, project);
  if (reason === undefined) return;
  throw workbenchError("FILE_NOT_WRITABLE", { file, reason }, "Remove the link and try again");
}

function outsideReason(file: string, project: string): string | undefined {
  try {
    if (isWithin(file, project)) return undefined;
    return `a symbolic link makes it lead out of the project, to ${realPathOf(file)}`;
  } catch (error) {
    return `it cannot be found out where it leads: ${reasonOf(error)}`;
  }
}
