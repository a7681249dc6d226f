/** Byte fidelity on every path through the process that clients share; `npm test` has other paths. */
import { SHARED_PATHS, describePaths } from "../fidelity/describe-paths.ts";

describePaths(SHARED_PATHS);
