import type { Decision } from "../../calls/decision.ts";
import type { Principal } from "../../calls/principal.ts";
import type { PolicyAction } from "../../config/types.ts";
import { covers } from "../../text/glob.ts";
import { valuesAt } from "./argument-values.ts";
import type { CompiledRule, Condition, Level } from "./levels.ts";
import type { ToolFacts } from "./tool-facts.ts";

/** What the policy says about one tool and one principal. */
export interface Verdict {
  /** True if no call of the tool can be allowed: it is hidden. */
  readonly isHidden: boolean;
  /** The decision if it is the same for all arguments. */
  readonly fixed: Decision | undefined;
  /** The decision about a call with these arguments, as they are sent. */
  decide(argumentsText: string): Decision;
}

/** What a level says about a tool: the first of these rules whose conditions match, or the last. */
interface Outcomes {
  readonly conditional: readonly CompiledRule[];
  readonly otherwise: Choice;
}

type Choice = Pick<Decision, "action" | "rule" | "reason" | "isAboutArguments">;

const STRICTNESS: Readonly<Record<PolicyAction, number>> = { allow: 0, ask: 1, deny: 2 };

export function verdictFor(
  levels: readonly Level[],
  facts: ToolFacts,
  principal: Pick<Principal, "name" | "readOnly">,
): Verdict {
  const { toolClass } = facts;
  const outcomes = levels.map((level) => outcomesOf(level, facts, principal));
  if (principal.readOnly && toolClass !== "read")
    outcomes.push({ conditional: [], otherwise: READ_ONLY_CLIENT });
  const decide = (argumentsText: string): Decision => {
    const args = new SentArguments(argumentsText);
    return { ...strictest(outcomes.map((outcome) => choose(outcome, args))), toolClass };
  };
  const isFixed = outcomes.every(({ conditional }) => conditional.length === 0);
  return {
    isHidden: outcomes.some(alwaysDenies),
    fixed: isFixed ? decide("{}") : undefined,
    decide,
  };
}

const READ_ONLY_CLIENT: Choice = {
  action: "deny",
  reason: "this client may only use tools that read",
};

/** Of equally strict levels, the first counts; the decision is about arguments if one of them is. */
function strictest(choices: readonly Choice[]): Choice {
  let found: Choice = { action: "allow" };
  for (const choice of choices) {
    const difference = STRICTNESS[choice.action] - STRICTNESS[found.action];
    if (difference > 0 || (difference === 0 && found.rule === undefined)) found = choice;
  }
  const isAboutArguments = choices.some(
    (choice) => choice.action === found.action && choice.isAboutArguments === true,
  );
  return isAboutArguments ? { ...found, isAboutArguments } : found;
}

function alwaysDenies({ conditional, otherwise }: Outcomes): boolean {
  if (otherwise.action !== "deny") return false;
  const denying: CompiledRule[] = [];
  for (const rule of conditional)
    if (rule.action === "deny") denying.push(rule);
    else if (!isNeverReached(rule, denying)) return false;
  return true;
}

/** A rule with more combinations of globs is taken as one that can be reached. */
const MAX_COMBINATIONS = 1000;

/** Whether every call that a rule is about is denied by one of the rules before it. */
function isNeverReached({ conditions }: CompiledRule, denying: readonly CompiledRule[]): boolean {
  const count = conditions.reduce((product, { globs }) => product * globs.length, 1);
  if (denying.length === 0 || count > MAX_COMBINATIONS) return false;
  let combinations: ReadonlyMap<string, string>[] = [new Map()];
  for (const { at, globs } of conditions)
    combinations = combinations.flatMap((known) =>
      globs.map((glob) => new Map([...known, [at, glob]])),
    );
  return combinations.every((chosen) =>
    denying.some((rule) =>
      rule.conditions.every(({ at, globs }) => {
        const narrow = chosen.get(at);
        return narrow !== undefined && globs.some((wide) => covers(wide, narrow));
      }),
    ),
  );
}

function outcomesOf(level: Level, facts: ToolFacts, { name }: Pick<Principal, "name">): Outcomes {
  const conditional: CompiledRule[] = [];
  if (level.readOnly && facts.toolClass !== "read") {
    const rule = `${level.at}.readOnly`;
    return { conditional, otherwise: { action: "deny", rule, reason: "it may change something" } };
  }
  for (const rule of level.rules) {
    const { at, action, reason } = rule;
    if (!rule.matchesClient(name) || !matchesTool(rule, facts)) continue;
    const open = openConditions(rule, facts);
    if (open === undefined) continue;
    if (open.length === 0) return { conditional, otherwise: { action, rule: at, reason } };
    conditional.push({ ...rule, conditions: open });
  }
  const { fallback: action } = level;
  const otherwise = action === "allow" ? { action } : { action, rule: `${level.at}.default` };
  return { conditional, otherwise };
}

function matchesTool(
  { matchesTool: matches, classes, openWorld }: CompiledRule,
  facts: ToolFacts,
): boolean {
  if (classes !== undefined && !classes.has(facts.toolClass)) return false;
  if (openWorld !== undefined && openWorld !== facts.openWorld) return false;
  return matches(facts.label);
}

/**
 * The conditions that depend on the client's arguments. Those on fixed arguments are decided:
 * undefined if one of them does not match.
 */
function openConditions(rule: CompiledRule, { pinned }: ToolFacts): Condition[] | undefined {
  if (pinned === undefined) return [...rule.conditions];
  const args = new SentArguments(JSON.stringify(pinned));
  const isFixed = ({ path: [key = ""] }: Condition): boolean => Object.hasOwn(pinned, key);
  const fixed = rule.conditions.filter(isFixed);
  if (!fixed.every((condition) => holdsIfClear(condition, rule.action, args))) return undefined;
  return rule.conditions.filter((condition) => !isFixed(condition));
}

/** The configuration may fix an argument so that it is unclear what the server takes from it. */
function holdsIfClear(condition: Condition, action: PolicyAction, args: SentArguments): boolean {
  try {
    return holds(condition, action, args);
  } catch {
    return action !== "allow";
  }
}

function choose({ conditional, otherwise }: Outcomes, args: SentArguments): Choice {
  const rule = conditional.find(({ conditions, action }) =>
    conditions.every((condition) => holds(condition, action, args)),
  );
  return rule === undefined
    ? otherwise
    : { action: rule.action, rule: rule.at, reason: rule.reason, isAboutArguments: true };
}

/** In a list, one value is enough to be strict, and all are needed to allow a call. */
function holds(condition: Condition, action: PolicyAction, args: SentArguments): boolean {
  const { matches } = condition;
  const values = args.valuesFor(condition);
  const isMatch = (value: string | undefined): boolean => value !== undefined && matches(value);
  return action === "allow" ? values.length > 0 && values.every(isMatch) : values.some(isMatch);
}

/** The arguments of one call. Many rules may be about the same of them, so each is read once. */
class SentArguments {
  readonly #text: string;
  readonly #values = new Map<string, readonly (string | undefined)[]>();

  constructor(text: string) {
    this.#text = text;
  }

  valuesFor({ at, path }: Condition): readonly (string | undefined)[] {
    const known = this.#values.get(at);
    if (known !== undefined) return known;
    const values = valuesAt(this.#text, path);
    this.#values.set(at, values);
    return values;
  }
}
