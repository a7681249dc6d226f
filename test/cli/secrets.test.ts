/** The commands that print most of a configuration; the full suite tries every command. */
import { RUNS, describeSecrets } from "./describe-secrets.ts";

const KEPT = ["install", "move", "disable", "edit", "doctor", "status", "tokens"];

describeSecrets(RUNS.filter(([command = ""], i) => KEPT.includes(command) || i % 5 === 0));
