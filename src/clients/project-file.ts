import { reasonOf, workbenchError } from "../errors.ts";
import { isWithin, realPathOf } from "../files/real-path.ts";

/**
 * Throws if a symbolic link in a project leads out of its folder: otherwise a repository could choose
 * which of the user's files is edited.
 */
export function assertInsideProject(file: string, project: string): void {
  const reason = outsideReason(file, project);
  if (reason === undefined) return;
  throw workbenchError("FILE_NOT_WRITABLE", { file, reason }, "Remove the link and try again");
}

function outsideReason(file: string, project: string): string | undefined {
  try {
    if (isWithin(file, project)) return undefined;
    return `a symbolic link leads out of the project, to ${realPathOf(file)}`;
  } catch (error) {
    return `cannot resolve where it leads: ${reasonOf(error)}`;
  }
}
