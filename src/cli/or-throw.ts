import { isWorkbenchError } from "../errors.ts";

/** What was found, or the error that says that it was not, thrown. */
export function unwrap<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw found;
  return found as Exclude<T, Error>;
}
