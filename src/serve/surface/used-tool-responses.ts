import type { ToolDestination } from "../../calls/destination.ts";
import { amendUiResult } from "../apps/amend-ui.ts";
import { explainMisfit } from "./explain-misfit.ts";

type Responses = Pick<ToolDestination, "onFailed" | "amend">;

/** What is done with responses to `use_tool`. */
export const FOR_AGENTS: Responses = { onFailed: explainMisfit, amend: amendUiResult };

/** The command line checks arguments itself, and the library returns what the server sent. */
export const FOR_PROGRAMS: Responses = { onFailed: undefined, amend: undefined };
