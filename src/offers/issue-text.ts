import type { ZodError } from "zod";

/** The first thing that is wrong with a document, and where. */
export function issueText(error: ZodError | undefined): string {
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return "";
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}
