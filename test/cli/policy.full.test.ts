/** What a policy denies is not named by any command that uses tools. In the full suite because it runs each of them. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";

const disposables = perTest();
const RECORDING = new URL("../fixtures/recording-server.mjs", import.meta.url).pathname;

describe("on the command line, what the policy denies", () => {
  it("is neither named nor started by list, search, tokens, open, call and completion", async () => {
    const place = cliPlace(disposables);
    const witness = join(place.home, "witness");
    const recording = (name: string): object => ({
      command: process.execPath,
      args: [RECORDING, "readline"],
      env: { WITNESS: `${witness}-${name}` },
    });
    const config = {
      policy: { rules: [{ tools: ["rec/delete_*"], action: "deny" }] },
      toolboxes: {
        dev: {
          description: "Tools",
          mcpServers: {
            rec: recording("rec"),
            concealed: { ...recording("concealed"), policy: { default: "deny" } },
          },
        },
        vault: {
          description: "Deletes everything",
          policy: { default: "deny" },
          mcpServers: { concealed: recording("vault") },
        },
      },
    };
    writeFileSync(ownConfig(place), JSON.stringify(config));
    const commands = [
      ["search", "delete all"],
      ["list", "--json"],
      ["list", "dev"],
      ["open", "dev"],
      ["tokens", "--json"],
      ["__complete", "call", ""],
      ["__complete", "list", "dev/"],
      ["__complete", "call", "dev/rec/"],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await runCli(place, command);
      const text = stdout + stderr;
      expect([command, code]).toEqual([command, 0]);
      expect(`${command.join(" ")}: ${text}`).not.toMatch(/delete_|concealed|vault/);
      // Otherwise it would be silent about everything.
      expect(text).toMatch(/dev|safe/);
    }
    // A name that is hidden gives the same errors as one that does not exist.
    const named = [
      ["list", "dev/NAME"],
      ["open", "NAME"],
      ["call", "dev/NAME"],
    ];
    for (const words of named) {
      const answers = [];
      for (const name of ["concealed", "forgotten"]) {
        const run = await runCli(
          place,
          words.map((word) => word.replace("NAME", name)),
        );
        answers.push(`${run.code} ${run.stdout}${run.stderr}`.replaceAll(name, "NAME"));
      }
      expect(answers[0]).toMatch(/^[^0]/);
      expect(answers[0]).toBe(answers[1]);
    }
    for (const name of ["concealed", "vault"]) expect(existsSync(`${witness}-${name}`)).toBe(false);
    expect(existsSync(`${witness}-rec`)).toBe(true);
  });
});
