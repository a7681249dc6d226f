/** Every command. In the full suite because each is started twice, most of them with servers. */
import { RUNS, describeSecrets } from "./describe-secrets.ts";

describeSecrets(RUNS);
