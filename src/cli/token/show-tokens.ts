import type { IssuedToken } from "../../access/tokens/manage-tokens.ts";
import { isExpired, shownToken } from "../../access/tokens/shown-token.ts";
import type { TokenRecord } from "../../access/tokens/token-record.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { columns } from "../output/layout.ts";
import type { Output } from "../output/output.ts";

/** Prints a new token, alone on standard output, so that scripts can use it. */
export function showIssued({ out }: Context, issued: IssuedToken, done: string): void {
  const { token, record } = issued;
  out.say(
    `${out.noteStyle.green("✓")} ${done} the token '${record.name}': ${safeLine(scopeText(record))}; ${expiryText(record)}.`,
  );
  out.say("It is shown only once. Clients send it in the header Authorization: Bearer TOKEN");
  out.documentText(JSON.stringify({ token, ...shownToken(record) }, null, 2));
  out.printRaw(`${token}\n`);
}

export function tokenTable(tokens: readonly TokenRecord[], out: Output): string {
  const { bold, dim, yellow } = out.style;
  const rows = tokens.map((record) => {
    const expiry = expiryText(record);
    const used =
      record.lastUsedAt === undefined ? "never used" : `used ${short(record.lastUsedAt)}`;
    return [
      bold(record.name),
      isExpired(record) ? yellow(expiry) : expiry,
      dim(used),
      safeLine(scopeText(record)),
    ];
  });
  return columns(rows, "", out.tableWidth);
}

function scopeText({ toolboxes, servers, readOnly }: TokenRecord): string {
  const parts = [...(toolboxes ?? []), ...(servers ?? [])];
  const isLimited = toolboxes !== undefined || servers !== undefined;
  return `${isLimited ? parts.join(", ") : "all toolboxes"}${readOnly ? ", read-only" : ""}`;
}

function expiryText(record: TokenRecord): string {
  const { expiresAt } = record;
  if (expiresAt === undefined) return "does not expire";
  return `${isExpired(record) ? "expired" : "expires"} ${short(expiresAt)}`;
}

/** To the minute. */
function short(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}
