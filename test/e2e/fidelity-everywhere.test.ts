/** Byte fidelity with every mode, server and era of the client; the full suite has all paths. */
import { HALF_OF_THE_PATHS, describePaths } from "../fidelity/describe-paths.ts";

describePaths(HALF_OF_THE_PATHS);
