/** Byte fidelity with every mode and server; the full suite has all paths. */
import { SOME_PATHS, describePaths } from "../fidelity/describe-paths.ts";

describePaths(SOME_PATHS);
