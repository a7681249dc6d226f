/**
 * The fidelity matrix through two replicas, as further columns: each request reaches the other one than the request before, so
 * that about half of them are passed on. `npm test` has unit tests of `src/serve/cluster`.
 */
import { describe } from "vitest";
import { HAS_CLUSTER } from "../support/cluster-rig.ts";
import { REPLICA_COLUMNS } from "./columns.ts";
import { describeMatrix } from "./describe-matrix.ts";

/** Each column starts its servers on both replicas. */
const AT_ONCE = 3;

describe.skipIf(!HAS_CLUSTER)("the fidelity matrix through two replicas", () => {
  describeMatrix(REPLICA_COLUMNS, AT_ONCE);
});
