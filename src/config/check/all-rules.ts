import { RARE_RULES } from "./rare-rules.generated.ts";
import type { Rule } from "./rule.ts";
import { CONFIG_RULES } from "./rules.generated.ts";

/** The rules for all settings, also for those that few configurations have. */
export const ALL_RULES = replaceProperties(CONFIG_RULES, RARE_RULES);

/** A copy of the rule in which the properties with these names have other rules, at every level. */
export function replaceProperties(rule: Rule, others: Readonly<Record<string, Rule>>): Rule {
  const replace = (part: Rule): Rule => replaceProperties(part, others);
  const { properties, additionalProperties, items, anyOf } = rule;
  const entries = Object.entries(properties ?? {}).map(([key, part]) => [
    key,
    Object.hasOwn(others, key) ? others[key] : replace(part),
  ]);
  return {
    ...rule,
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(additionalProperties && { additionalProperties: replace(additionalProperties) }),
    ...(items && { items: replace(items) }),
    ...(anyOf && { anyOf: anyOf.map(replace) }),
  };
}
