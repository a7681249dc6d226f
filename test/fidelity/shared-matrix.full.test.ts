/**
 * The fidelity matrix through the process that clients share, as further columns. `npm test` has the path
 * itself in `test/e2e/shared.test.ts`.
 */
import { SHARED_COLUMNS } from "./columns.ts";
import { describeMatrix } from "./describe-matrix.ts";

describeMatrix(SHARED_COLUMNS);
