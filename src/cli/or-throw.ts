import { isWorkbenchError } from "../errors.ts";

/** Returns the value, or throws it if it is an error. */
export function unwrap<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw found;
  return found as Exclude<T, Error>;
}
