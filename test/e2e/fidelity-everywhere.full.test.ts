/** Byte fidelity on every path through the workbench. */
import { PATHS, describePaths } from "../fidelity/describe-paths.ts";

describePaths(PATHS);
