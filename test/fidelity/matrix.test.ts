/**
 * The columns of the fidelity matrix whose server speaks both eras. The full suite has those of the
 * other servers as well, among them the official one, which takes four times as long to start.
 */
import { COLUMNS, DIRECT_COLUMNS } from "./columns.ts";
import { describeMatrix } from "./describe-matrix.ts";

describeMatrix([...DIRECT_COLUMNS, ...COLUMNS].filter(({ server }) => server === "dual-era"));
