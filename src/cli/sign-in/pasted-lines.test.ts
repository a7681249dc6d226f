import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";

import { OAuthFailure } from "../../oauth/failure.ts";
import { takePastedLine } from "./pasted-lines.ts";

/** Pastes lines; `finish` accepts only "right" and reports everything else with this error. */
function paste(lines: readonly string[], refusal = new OAuthFailure("denied", "not the address")) {
  const input = new PassThrough();
  const given: string[] = [];
  const wrong: string[] = [];
  const finish = async (line: string): Promise<void> => {
    given.push(line);
    if (line !== "right" && line !== "http://right/?a=b&c=d") throw refusal;
  };
  const { signal } = new AbortController();
  const done = takePastedLine(input, finish, { onWrong: (reason) => wrong.push(reason), signal });
  for (const line of lines) input.write(`${line}\n`);
  return { done, given, wrong };
}

describe("pasted lines", () => {
  it("can be repeated after one that was not the address; empty ones do not count", async () => {
    const { done, given, wrong } = paste(["", "code-only", "right", "never read"]);
    await done;
    expect(given).toEqual(["code-only", "right"]);
    expect(wrong).toEqual(["not the address"]);
  });

  it("are joined if an address has line breaks", async () => {
    const { done, given } = paste([
      "http://wrong/",
      "http://ri",
      "ght/?a",
      "=",
      "b",
      "&c",
      "=",
      "d",
    ]);
    await done;
    expect(given).toHaveLength(8);
  });

  it("are not asked for without end", async () => {
    const { done, given } = paste(Array.from({ length: 9 }, (_, i) => `wrong ${i}`));
    await expect(done).rejects.toThrow("not the address");
    expect(given).toHaveLength(5);
  });

  it("end the login when the input ends, if there is no other way to return", async () => {
    const { signal } = new AbortController();
    const onEnd = (): never => {
      throw new Error("no way to return");
    };
    const input = new PassThrough().end("wrong\n");
    const wrong = new OAuthFailure("denied", "not the address");
    const done = takePastedLine(input, () => Promise.reject(wrong), {
      onWrong: () => {},
      onEnd,
      signal,
    });
    await expect(done).rejects.toThrow("no way to return");
  });

  it("end the login if the authorization server refused it", async () => {
    const denied = new OAuthFailure("denied", "you said no", { error: "access_denied" });
    const { done, given } = paste(["denied", "right"], denied);
    await expect(done).rejects.toThrow("you said no");
    expect(given).toEqual(["denied"]);
  });
});
