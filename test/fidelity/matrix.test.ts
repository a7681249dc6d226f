/**
 * Two columns of the fidelity matrix with a server that speaks both eras: without the workbench, and
 * through it. The full suite has the whole matrix, which starts twenty times as many processes.
 */
import { COLUMNS, DIRECT_COLUMNS, type Mode, type Transport } from "./columns.ts";
import { describeMatrix } from "./describe-matrix.ts";

const KEPT: readonly (Mode | Transport)[][] = [
  ["direct", "stdio"],
  ["proxy", "stdio"],
];

describeMatrix(
  [...DIRECT_COLUMNS, ...COLUMNS].filter(
    ({ server, mode, transport }) =>
      server === "dual-era" && KEPT.some(([m, t]) => m === mode && t === transport),
  ),
);
