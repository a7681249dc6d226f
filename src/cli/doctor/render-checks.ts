import { safeLine, safeText } from "../../text/safe-text.ts";
import { plural } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { AREAS, type Check } from "./check.ts";

/** Prints the findings by area, and how many need attention. */
export function renderChecks(checks: readonly Check[], out: Output): void {
  const { style } = out;
  const signs = {
    ok: style.green("✓"),
    warning: style.yellow("!"),
    error: style.red("✗"),
    fixed: style.green("✓ fixed:"),
  };
  for (const area of AREAS) {
    const own = checks.filter((check) => check.area === area);
    if (own.length === 0) continue;
    out.print(style.bold(`${area[0]?.toUpperCase()}${area.slice(1)}`));
    for (const { subject, status, message, fix, lastOutput = [] } of own) {
      const [first = "", ...more] = safeText(message).split("\n");
      out.print(`  ${signs[status]} ${safeLine(subject)}: ${first}`);
      for (const line of more) out.print(`    ${line}`);
      for (const line of lastOutput) out.print(style.dim(`      | ${safeLine(line)}`));
      if (fix !== undefined && status !== "ok")
        out.print(`    → ${safeText(fix).replaceAll("\n", "\n      ")}`);
    }
  }
  const count = (status: Check["status"]): number =>
    checks.filter((check) => check.status === status).length;
  const [errors, warnings] = [count("error"), count("warning")];
  out.print(
    errors + warnings === 0
      ? style.green("\nEverything is in order.")
      : `\n${plural(errors, "problem")}, ${plural(warnings, "warning")}.`,
  );
}
