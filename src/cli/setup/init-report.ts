import type { FoundFile } from "../../clients/read.ts";
import type { Context } from "../core/command.ts";
import type { ConfigEdit } from "../../config/edits/config-edits.ts";
import { type Draft, skippedReport } from "./draft.ts";
import { type SecretsPlan, secretsReport } from "./keep-secrets.ts";
import { masked } from "./init-write.ts";
import type { Installed } from "./install-clients.ts";
import type { Readiness } from "./readiness.ts";
import type { Trial } from "./trial.ts";

/** Everything that `init` did. */
export interface InitOutcome {
  readonly files: readonly FoundFile[];
  readonly draft: Draft;
  readonly trial: Trial | undefined;
  readonly secrets: SecretsPlan;
  readonly edit: ConfigEdit;
  readonly written: boolean;
  readonly readiness: Readiness;
  readonly installed: readonly Installed[];
}

/** The document for `--json`. */
export function reportInit({ args, out }: Context, outcome: InitOutcome): void {
  const { files, draft, trial, secrets, edit, written, readiness, installed } = outcome;
  out.document({
    found: files.map(({ client, file, scope, servers, problem }) => ({
      client,
      file,
      scope,
      servers: servers.map(({ name }) => name),
      problem: problem ?? null,
    })),
    toolboxes: draft.toolboxes.map(({ name, description, servers }) => ({
      name,
      description,
      servers: servers.map((server) => {
        const tried = trial?.servers.get(`${name}/${server.name}`);
        return {
          name: server.name,
          from: server.from.map(({ client, file, scope }) => ({ client, file, scope })),
          tools: tried?.tools ?? null,
          tokens: tried?.tokens ?? null,
          error: tried?.error ?? null,
          lastOutput: tried?.lastOutput ?? [],
        };
      }),
    })),
    skipped: draft.skipped.map(skippedReport),
    secrets: secretsReport(secrets),
    tokens: trial === undefined ? null : tokensReport(trial),
    config: {
      file: edit.file,
      written,
      ...(args.flag("dry-run") && { text: masked(edit.after) }),
    },
    working: readiness.working,
    needsUser: readiness.needsUser,
    installed,
  });
}

function tokensReport({ before, after, counted, servers }: Trial): object {
  return { before, after, counted, servers: servers.size };
}
