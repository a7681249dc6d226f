/** The commands that print most of a configuration; the full suite tries every command. */
import { RUNS, describeSecrets } from "./describe-secrets.ts";

const KEPT = ["install", "move", "edit", "doctor", "status"];

describeSecrets(RUNS.filter(([command = ""]) => KEPT.includes(command)));
