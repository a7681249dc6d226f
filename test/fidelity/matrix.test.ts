/**
 * The columns of the fidelity matrix whose servers are fixtures. The full suite has those of the
 * official server as well, which takes four times as long to start.
 */
import { COLUMNS, DIRECT_COLUMNS } from "./columns.ts";
import { describeMatrix } from "./describe-matrix.ts";

describeMatrix([...DIRECT_COLUMNS, ...COLUMNS].filter(({ server }) => server !== "everything"));
