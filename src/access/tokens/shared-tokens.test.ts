import { rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { FakeSharedText } from "../../../test/support/fake-shared-text.ts";
import { newFolder } from "../../../test/support/new-folder.ts";
import { type SharedFile, syncSharedFile } from "../state-file.ts";
import { createToken, revokeToken, rotateToken } from "./manage-tokens.ts";
import { mergeTokens } from "./merge-tokens.ts";
import { TokenAccess } from "./token-access.ts";
import { TOKEN_FORMAT, readTokens } from "./token-file.ts";
import { isHashOf } from "./token-format.ts";
import type { TokenList, TokenRecord } from "./token-record.ts";
import { NO_LOG } from "../../log.ts";

class Machine {
  isCutOff = false;
  readonly file: SharedFile;

  constructor(path: string, text: FakeSharedText) {
    this.file = { path, shared: text.seenBy(this) };
  }
}

let folder: string;
let text: FakeSharedText;
let machines: readonly [Machine, Machine, Machine];
const ALL = { toolboxes: [], servers: [], readOnly: false };

function start(): void {
  folder = newFolder("tokens");
  text = new FakeSharedText();
  const machine = (name: string): Machine => new Machine(join(folder, `${name}.json`), text);
  machines = [machine("a"), machine("b"), machine("c")];
}
function end(): void {
  rmSync(folder, { recursive: true, force: true });
}
beforeEach(start);
afterEach(end);

const isValid = (machine: Machine, token: string): boolean =>
  readTokens(machine.file).some(({ hash }) => isHashOf(hash, token));
const syncAll = async (): Promise<void> => {
  for (const machine of machines) machine.isCutOff = false;
  // The second time, all get what the last one had to add.
  for (const { file } of [...machines, ...machines]) await syncSharedFile(file, TOKEN_FORMAT);
};

describe("tokens of replicas", () => {
  it("end everywhere when they are revoked or rotated anywhere", async () => {
    const [a, b, c] = machines;
    const { token } = await createToken(a.file, { name: "ci", ...ALL });
    await syncSharedFile(b.file, TOKEN_FORMAT);
    expect(isValid(b, token)).toBe(true);
    const { token: second } = await rotateToken(b.file, "ci");
    await syncSharedFile(a.file, TOKEN_FORMAT);
    expect([isValid(a, token), isValid(a, second)]).toEqual([false, true]);
    await revokeToken(c.file, "ci");
    const ended: string[] = [];
    const onEnded = ({ name }: { readonly name: string }): void => void ended.push(name);
    const access = new TokenAccess({ file: a.file, log: NO_LOG, onEnded });
    await syncSharedFile(a.file, TOKEN_FORMAT);
    access.check();
    expect(ended).toEqual(["ci"]);
    await access.close();
  });

  it("have different names, also if two are created at once", async () => {
    const [a, b] = machines;
    text.beforeReplace = () => {
      text.beforeReplace = undefined;
      const record = { ...NO_TOKEN, name: "ci" };
      text.replace(undefined, TOKEN_FORMAT.textOf({ tokens: [record], revoked: [] }));
    };
    await expect(createToken(a.file, { name: "ci", ...ALL })).rejects.toThrow("already");
    await expect(createToken(b.file, { name: "CI", ...ALL })).rejects.toThrow("already");
  });

  it("are all revoked by a name that two machines gave without a connection", async () => {
    const [a, b] = machines;
    b.isCutOff = true;
    await createToken(a.file, { name: "ci", ...ALL });
    const { token } = await createToken(b.file, { name: "ci", ...ALL });
    expect(isValid(b, token)).toBe(true);
    await syncAll();
    expect(isValid(a, token)).toBe(true);
    await expect(rotateToken(a.file, "ci")).rejects.toThrow("several tokens 'ci'");
    await revokeToken(a.file, "ci");
    await syncAll();
    expect(machines.flatMap(({ file }) => readTokens(file))).toEqual([]);
  });

  it("do not come back from a machine that was away, and none is lost with the data of Redis", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        end();
        start();
        const current = new Map<string, string>();
        const ended: string[] = [];
        for (const { kind, at, name } of actions) {
          const machine = machines[at];
          const known = readTokens(machine.file).some((record) => record.name === name);
          const before = current.get(name);
          if (kind === "cut off") machine.isCutOff = true;
          else if (kind === "connect") machine.isCutOff = false;
          else if (kind === "forget") text.stored = undefined;
          else if (kind === "sync") await syncSharedFile(machine.file, TOKEN_FORMAT);
          else if (before === undefined && !ended.includes(name)) {
            const { token } = await createToken(machine.file, { name, ...ALL });
            current.set(name, token);
          } else if (!known || before === undefined || !isValid(machine, before)) continue;
          else if (kind === "rotate") {
            // The clock of the machine is behind.
            current.set(name, (await rotateToken(machine.file, name, 0)).token);
            ended.push(before);
          } else {
            await revokeToken(machine.file, name).catch(() => undefined);
            ended.push(before, name);
            current.delete(name);
          }
        }
        await syncAll();
        for (const machine of machines) {
          for (const token of ended) expect(isValid(machine, token)).toBe(false);
          for (const token of current.values()) expect(isValid(machine, token)).toBe(true);
        }
      }),
      { numRuns: 15 },
    );
  });
});

const NO_TOKEN: TokenRecord = {
  id: "00000000",
  name: "",
  hash: `sha256:${"0".repeat(64)}`,
  readOnly: false,
  createdAt: "2026-01-01T00:00:00.000Z",
};
const KINDS = ["create", "create", "rotate", "revoke", "cut off", "connect", "sync", "forget"];
const action = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
  name: fc.constantFrom("ci", "docs"),
});

describe("merging two lists of tokens", () => {
  const id = fc.constantFrom("aaaaaaaa", "bbbbbbbb", "cccccccc");
  const time = fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z");
  const record = fc
    .record(
      {
        id,
        rotatedAt: time,
        lastUsedAt: time,
        hash: fc.constantFrom(..."01").map((digit) => `sha256:${digit.repeat(64)}`),
      },
      { requiredKeys: ["id", "hash"] },
    )
    .map((members): TokenRecord => ({ ...NO_TOKEN, name: members.id, ...members }));
  const list: fc.Arbitrary<TokenList> = fc.record({
    tokens: fc.uniqueArray(record, { selector: (one) => one.id }),
    revoked: fc.uniqueArray(id),
  });

  it("gives the same in any order, and nothing new when it is repeated", () => {
    fc.assert(
      fc.property(list, list, list, (a, b, c) => {
        expect(mergeTokens(a, b)).toEqual(mergeTokens(b, a));
        expect(mergeTokens(mergeTokens(a, b), c)).toEqual(mergeTokens(a, mergeTokens(b, c)));
        const merged = mergeTokens(a, b);
        expect(mergeTokens(merged, b)).toEqual(merged);
        expect(TOKEN_FORMAT.textOf(mergeTokens(merged, merged))).toBe(TOKEN_FORMAT.textOf(merged));
      }),
    );
  });
});
