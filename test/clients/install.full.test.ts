/** Every client. In the full suite because each test waits many times for files to reach the disk. */
import { CLIENTS } from "../../src/clients/table.ts";
import { describeInstalling } from "./describe-installing.ts";

describeInstalling(CLIENTS);
