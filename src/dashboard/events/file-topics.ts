import { approvalsFile } from "../../access/approvals/approvals-file.ts";
import { alwaysAllowed, pendingApprovals } from "../../access/approvals/manage-approvals.ts";
import { tokenFile } from "../../access/tokens/token-file.ts";
import { thisMachine } from "../../config/directories.ts";
import { lockFileOf } from "../../config/lock-path.ts";
import { reasonOf } from "../../errors.ts";
import { versionOf } from "../../files/file-version.ts";
import { ledgerFile } from "../../workbench/accounting/ledger.ts";
import { proposalsFile } from "../config/proposals.ts";
import type { DashboardContext } from "../context.ts";
import type { Topic } from "../contract.ts";

/** Notices what other programs change: commands, editors, other workbenches. */
export class FileTopics {
  readonly #context: Pick<DashboardContext, "workbench" | "env">;
  #versions = new Map<string, string | undefined>();

  constructor(context: Pick<DashboardContext, "workbench" | "env">) {
    this.#context = context;
  }

  /** The topics whose files have changed since the last time; none the first time. */
  changed(): Topic[] {
    const versions = new Map(
      this.#files().map(([topic, file]) => [
        `${topic} ${file}`,
        topic === "approvals" ? questionsIn(file) : versionOf(file),
      ]),
    );
    const topics = new Set<Topic>();
    for (const [key, version] of versions)
      if (this.#versions.has(key) && this.#versions.get(key) !== version)
        topics.add(key.split(" ", 1)[0] as Topic);
    this.#versions = versions;
    return [...topics];
  }

  clear(): void {
    this.#versions = new Map();
  }

  #files(): (readonly [Topic, string])[] {
    const { workbench, env } = this.#context;
    const machine = thisMachine(env);
    const { file } = workbench.settings;
    return [
      ["approvals", approvalsFile(machine)],
      ["tokens", tokenFile(machine)],
      ["savings", ledgerFile()],
      ["config", proposalsFile(machine)],
      ...(file === undefined
        ? []
        : ([
            ["config", file],
            ["pins", lockFileOf(file)],
          ] as const)),
    ];
  }
}

/** The file itself changes every few seconds while a person waits for questions. */
function questionsIn(file: string): string {
  try {
    // What is always allowed has the id of its question: the lists must not look alike when it moves.
    return JSON.stringify(
      [pendingApprovals(file), alwaysAllowed(file)].map((list) => list.map(({ id }) => id)),
    );
  } catch (error) {
    return reasonOf(error);
  }
}
