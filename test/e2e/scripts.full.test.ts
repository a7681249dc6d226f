/** The clients that scripts.test.ts leaves out: each starts four programs. */
import { describeScripts } from "./describe-scripts.ts";

describeScripts(["sdk-v2-legacy", "sdk-v2-modern", "raw-legacy"]);
