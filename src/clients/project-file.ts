import { statSync } from "node:fs";

import { reasonOf, workbenchError } from "../errors.ts";
import { isWithin, realPathOf } from "../files/real-path.ts";

/** A project could otherwise keep every command that looks at its files busy. */
const MAX_BYTES = 1024 * 1024;

/** Why a file of a project is not read. */
export function sizeProblem(file: string): string | undefined {
  return sizeOf(file) > MAX_BYTES ? `it is larger than ${MAX_BYTES / 1024} KB` : undefined;
}

/**
 * Throws if a symbolic link in a project leads out of its folder, because a repository could then choose
 * which of the user's files is edited, or if the file is too large to be edited.
 */
export function assertProjectFile(file: string, project: string): void {
  const reason = outsideReason(file, project);
  if (reason !== undefined)
    throw workbenchError("FILE_NOT_WRITABLE", { file, reason }, "Remove the link and try again");
  const problem = sizeProblem(file);
  if (problem !== undefined) throw workbenchError("FILE_NOT_WRITABLE", { file, reason: problem });
}

function outsideReason(file: string, project: string): string | undefined {
  try {
    if (isWithin(file, project)) return undefined;
    return `a symbolic link leads out of the project, to ${realPathOf(file)}`;
  } catch (error) {
    return `cannot resolve where it leads: ${reasonOf(error)}`;
  }
}

/** Zero for a file that does not exist or cannot be reached; reading it reports the reason. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
