import type {
  PolicyAction,
  PolicySettings,
  ServerSettings,
  ToolClassName,
  WorkbenchSettings,
} from "../../config/types.ts";
import { type Matcher, globMatcher, mayMatchStart } from "../../text/glob.ts";

/** A condition of a rule on one argument. */
export interface Condition {
  /** The dotted path of the argument, as it is written and in parts. */
  readonly at: string;
  readonly path: readonly string[];
  readonly globs: readonly string[];
  readonly matches: Matcher;
}

/** A rule with its patterns compiled. */
export interface CompiledRule {
  /** Where it is in the configuration. */
  readonly at: string;
  readonly action: PolicyAction;
  readonly reason: string | undefined;
  readonly matchesTool: Matcher;
  /** Whether it can match a tool of the server. */
  readonly mayMatchServer: boolean;
  readonly classes: ReadonlySet<ToolClassName> | undefined;
  readonly openWorld: boolean | undefined;
  readonly conditions: readonly Condition[];
  readonly matchesClient: Matcher;
  /** True if it applies to a server as a whole, with its prompts and resources. */
  readonly isGeneral: boolean;
}

/** The policy of the configuration, of a toolbox or of a server, as it applies to one server. */
export interface Level {
  readonly at: string;
  readonly readOnly: boolean;
  readonly rules: readonly CompiledRule[];
  readonly fallback: PolicyAction;
}

/** The levels that apply to a server, from the top. */
export function levelsOf(settings: WorkbenchSettings, server: ServerSettings): Level[] {
  const { toolbox, name } = server;
  const places: readonly (readonly [string, PolicySettings | undefined])[] = [
    ["policy", settings.policy],
    [`toolboxes.${toolbox}.policy`, settings.toolboxes.get(toolbox)?.policy],
    [`toolboxes.${toolbox}.mcpServers.${name}.policy`, server.policy],
  ];
  return places.flatMap(([at, policy]) => (policy ? [compileLevel(at, policy, name)] : []));
}

/** Whether the names of principals make a difference. */
export function dependOnClient(levels: readonly Level[]): boolean {
  return levels.some(({ rules }) => rules.some(({ matchesClient }) => matchesClient !== anything));
}

function compileLevel(at: string, policy: PolicySettings, server: string): Level {
  const rules = policy.rules.map((rule, i): CompiledRule => {
    const { tools, class: classes, openWorld, arguments: args = {}, clients } = rule;
    const conditions = Object.entries(args).map(([at, globs]) => ({
      at,
      path: at.split("."),
      globs,
      matches: anyOf(globs),
    }));
    return {
      at: `${at}.rules[${i}]`,
      action: rule.action,
      reason: rule.reason,
      matchesTool: tools === undefined ? anything : anyOf(tools),
      mayMatchServer: tools?.some((glob) => mayMatchStart(glob, `${server}/`)) ?? true,
      classes: classes && new Set(classes),
      openWorld,
      conditions,
      matchesClient: clients === undefined ? anything : anyOf(clients),
      isGeneral:
        tools === undefined &&
        classes === undefined &&
        openWorld === undefined &&
        conditions.length === 0,
    };
  });
  return { at, readOnly: policy.readOnly, rules, fallback: policy.default };
}

const anything: Matcher = () => true;

function anyOf(globs: readonly string[]): Matcher {
  const matchers = globs.map(globMatcher);
  return (text) => matchers.some((matches) => matches(text));
}
