import { stateDir, thisMachine } from "../../config/directories.ts";
import { lastEffectiveChange, revertChange } from "../../config/edits/config-changes.ts";
import { applyConfig, configDiff } from "../../config/edits/config-edits.ts";
import { removeStored } from "../../config/edits/stored-secrets.ts";
import { workbenchError } from "../../errors.ts";
import { fingerprint, undoSplice } from "../../files/splice.ts";
import { assertWritable } from "../../files/write-atomic.ts";
import { type CurrentConfig, currentConfig, editedText } from "../config/current-config.ts";
import { newEffects } from "../config/new-effects.ts";
import { checkText } from "../config/problems.ts";
import { addProposal, proposalsFile, takeProposal } from "../config/proposals.ts";
import { shownProposal, shownProposals } from "../config/shown-proposals.ts";
import type { DashboardContext } from "../context.ts";
import type { ConfigPlan, ConfigView, SavedConfig, UndoableChange } from "../contract.ts";
import { type Body, textIn } from "../http/body.ts";
import { RequestError } from "../http/api-error.ts";

export async function showConfig(context: DashboardContext): Promise<ConfigView> {
  const { workbench, env } = context;
  const current = await currentConfig(context);
  if (current === undefined) return NO_FILE;
  const { file, text, hidden } = current;
  const problems = await checkText(text, file, env);
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
  const problems = await checkText(after, file, context.env);
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
  const [problem] = (await checkText(after, file, env)).filter(isError);
  if (problem !== undefined)
    throw new RequestError(422, "config-invalid", `Not saved: ${problem.message}`);
  await assertWritable(file);
  if ((await newEffects(file, text, after)).length > 0) {
    const change = { file, before: fingerprint(text), after };
    const stored = await addProposal(proposalsFile(thisMachine(env)), change);
    context.announce("config");
    const proposal = await shownProposal(stored, text);
    return { proposal, backup: null, view: await showConfig(context) };
  }
  const diff = await configDiff(file, text, after);
  const backup = await applyConfig({ env }, { file, before: text, after, diff }, "dashboard");
  context.announce("config");
  return { proposal: null, backup: backup ?? null, view: await showConfig(context) };
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

/** Undoes the change that was shown, if it still is the last one. */
export async function undo(context: DashboardContext, body: Body): Promise<ConfigView> {
  const { env } = context;
  const { file } = await needed(context);
  const last = await lastChange(context, file);
  if (last === undefined || last.change.at !== textIn(body, "at"))
    throw new RequestError(409, "conflict", "This is no longer the last change");
  await revertChange(stateDir(thisMachine(env)), last);
  await removeStored({ env }, last.change.secrets);
  context.announce("config");
  return showConfig(context);
}

export async function discard(context: DashboardContext, body: Body): Promise<ConfigView> {
  const taken = await takeProposal(proposalsFile(thisMachine(context.env)), textIn(body, "id"));
  if (taken === undefined) throw new RequestError(404, "not-found", "There is no such change");
  context.announce("config");
  return showConfig(context);
}

async function undoable(context: DashboardContext, file: string): Promise<UndoableChange | null> {
  const last = await lastChange(context, file);
  if (last === undefined) return null;
  const { change, current } = last;
  const { what, at, splice } = change;
  return { what, at, diff: await configDiff(file, current, undoSplice(current, splice)) };
}

/** The last change, if it is of this file and the file has not been edited since. */
async function lastChange({ env }: DashboardContext, file: string) {
  const folder = stateDir(thisMachine(env));
  const last = await lastEffectiveChange(folder, () => Promise.resolve(false));
  if (last?.current === undefined || last.change.file !== file || last.change.created)
    return undefined;
  const { current } = last;
  return fingerprint(current) === last.change.after ? { ...last, current } : undefined;
}

async function needed(context: DashboardContext): Promise<CurrentConfig> {
  const current = await currentConfig(context);
  if (current !== undefined) return current;
  throw workbenchError("CONFIG_NOT_FOUND", { reason: "the workbench runs without a file" });
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
