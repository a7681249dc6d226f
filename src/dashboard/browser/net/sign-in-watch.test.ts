import { beforeEach, describe, expect, it } from "vitest";
import type { SessionInfo } from "../../contract.ts";
import { SignInWatch } from "./sign-in-watch.ts";

const SESSION = { csrf: "c" } as SessionInfo;

describe("a page whose session was refused", () => {
  let seen: string[];
  let answers: ((isSignedIn: boolean) => void)[];
  let watch: SignInWatch;
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

  async function answer(isSignedIn: boolean): Promise<void> {
    answers.shift()?.(isSignedIn);
    await settle();
  }

  beforeEach(() => {
    seen = [];
    answers = [];
    watch = new SignInWatch({
      readSession: () =>
        new Promise((resolve, reject) =>
          answers.push((isSignedIn) => {
            if (isSignedIn) resolve(SESSION);
            else {
              // The request for the session is refused, too.
              watch.onRefused();
              reject(new Error("signed out"));
            }
          }),
        ),
      onSignedIn: ({ csrf }) => seen.push(`in ${csrf}`),
      onSignedOut: () => seen.push("out"),
    });
    watch.onSignedIn();
    watch.onRefused();
  });

  it("is signed out if the browser has no session", async () => {
    await answer(false);
    expect(seen).toEqual(["out"]);
    watch.onRefused();
    expect(answers).toEqual([]);
  });

  it("goes on with the session of a page that has signed in meanwhile", async () => {
    await answer(true);
    expect(seen).toEqual(["in c"]);
  });

  it("asks again if another page signs in while it asks", async () => {
    watch.onOtherSignedIn();
    await answer(false);
    expect(seen).toEqual([]);
    await answer(true);
    expect(seen).toEqual(["in c"]);
  });

  it("is signed in again by a page that signs in later", async () => {
    await answer(false);
    watch.onOtherSignedIn();
    await answer(true);
    expect(seen).toEqual(["out", "in c"]);
  });

  it("does not care about other pages while it is signed in", async () => {
    await answer(true);
    watch.onOtherSignedIn();
    expect(answers).toEqual([]);
  });

  it("stays as it is if a page signs in and out again before it asks", async () => {
    await answer(false);
    watch.onOtherSignedIn();
    await answer(false);
    expect(seen).toEqual(["out"]);
  });
});
