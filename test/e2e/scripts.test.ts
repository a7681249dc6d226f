/** `run_script` with an official SDK and a raw client, one of each era; scripts.full.test.ts has the others. */
import { describeScripts } from "./describe-scripts.ts";

describeScripts(["sdk-v1", "raw-modern"]);
