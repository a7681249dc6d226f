import { thisMachine } from "../../config/directories.ts";
import { applyConfig, configDiff } from "../../config/edits/config-edits.ts";
import { fingerprint, undoSplice } from "../../files/splice.ts";
import { assertWritable } from "../../files/write-atomic.ts";
import { type CurrentConfig, currentConfig, editedText } from "../config/current-config.ts";
import { newEffects } from "../config/new-effects.ts";
import { lastChange, revert, undoable } from "../config/last-change.ts";
import { checkText } from "../config/problems.ts";
import { addProposal, proposalsFile, takeProposal } from "../config/proposals.ts";
import { shownProposal, shownProposals } from "../config/shown-proposals.ts";
import type { DashboardContext } from "../context.ts";
import type { ConfigPlan, ConfigView, SavedConfig } from "../contract.ts";
import { type Body, textIn } from "../http/body.ts";
import { RequestError } from "../http/api-error.ts";

export async function showConfig(context: DashboardContext): Promise<ConfigView> {
  const { workbench, env } = context;
  const current = await currentConfig(context);
  if (current === undefined) return NO_FILE;
  const { file, text, hidden } = current;
  const problems = await checkText(text, { file, current: text, env });
  const { configProblem } = workbench;
  const isListed = configProblem === undefined || problems.some((one) => one.severity === "error");
  return {
    file,
    text: hidden.text,
    version: fingerprint(text),
    problems: isListed ? problems : [{ ...NO_PLACE, message: configProblem }, ...problems],
    isInEffect: configProblem === undefined,
    undo: await undoable(context, file),
    proposals: await shownProposals(context, file, text),
  };
}

const NO_PLACE = { severity: "error", line: null, column: null } as const;
const NO_FILE: ConfigView = {
  file: null,
  text: "",
  version: "",
  problems: [],
  isInEffect: true,
  undo: null,
  proposals: [],
};

/** Checks a text and compares it with the file. */
export async function check(context: DashboardContext, body: Body): Promise<ConfigPlan> {
  const { file, text, after } = await edited(context, body);
  const problems = await checkText(after, { file, current: text, env: context.env });
  const isValid = problems.every(({ severity }) => severity !== "error");
  return {
    problems,
    diff: await configDiff(file, text, after),
    confirm: isValid ? await newEffects(file, text, after) : [],
  };
}

/** Writes a valid text; what would start or reach something new is stored as a proposal instead. */
export async function save(context: DashboardContext, body: Body): Promise<SavedConfig> {
  const { env } = context;
  const { file, text, after } = await edited(context, body);
  const [problem] = (await checkText(after, { file, current: text, env })).filter(isError);
  if (problem !== undefined)
    throw new RequestError(422, "config-invalid", `Not saved: ${problem.message}`);
  await assertWritable(file);
  if ((await newEffects(file, text, after)).length > 0) {
    const stored = await propose(context, { file, before: fingerprint(text), after });
    context.announce("config");
    const proposal = await shownProposal(stored, text);
    return { proposal, backup: null, view: await showConfig(context) };
  }
  const diff = await configDiff(file, text, after);
  const backup = await applyConfig({ env }, { file, before: text, after, diff }, "dashboard");
  context.announce("config");
  return { proposal: null, backup: backup ?? null, view: await showConfig(context) };
}

function propose(
  { env }: DashboardContext,
  change: Parameters<typeof addProposal>[1],
): ReturnType<typeof addProposal> {
  return addProposal(proposalsFile(thisMachine(env)), change);
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

/** Undoes the change that was shown, if it still is the last one. What it would start again has to be confirmed. */
export async function undo(context: DashboardContext, body: Body): Promise<ConfigView> {
  const { file } = await needed(context);
  const last = await lastChange(context, file);
  if (last === undefined || last.change.at !== textIn(body, "at"))
    throw new RequestError(409, "conflict", "This is no longer the last change");
  const { current, change } = last;
  const after = undoSplice(current, change.splice);
  if ((await newEffects(file, current, after)).length > 0)
    await propose(context, { file, before: change.after, after });
  else await revert(context, last);
  context.announce("config");
  return showConfig(context);
}

export async function discard(context: DashboardContext, body: Body): Promise<ConfigView> {
  const taken = await takeProposal(proposalsFile(thisMachine(context.env)), textIn(body, "id"));
  if (taken === undefined) throw new RequestError(404, "not-found", "There is no such change");
  context.announce("config");
  return showConfig(context);
}

async function needed(context: DashboardContext): Promise<CurrentConfig> {
  const current = await currentConfig(context);
  if (current !== undefined) return current;
  throw new RequestError(404, "not-found", "The workbench runs without a configuration file");
}

/** The text of the page with its secrets; throws if the file has changed since it was shown. */
async function edited(
  context: DashboardContext,
  body: Body,
): Promise<CurrentConfig & { readonly after: string }> {
  const current = await needed(context);
  if (fingerprint(current.text) !== textIn(body, "version"))
    throw new RequestError(
      409,
      "conflict",
      "The file has changed since it was shown",
      "Load it again; your text is not lost until you leave the page",
    );
  return { ...current, after: editedText(current, textIn(body, "text")) };
}
