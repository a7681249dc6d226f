import { describe, expect, it } from "vitest";

import { serverEnvironment } from "./environment.ts";

const source = { PATH: "/bin", AWS_SECRET_ACCESS_KEY: "s3cret", LANG: "C", TZ: "UTC" };

describe("serverEnvironment", () => {
  it("inherits what every program needs, and nothing else", () => {
    expect(serverEnvironment({}, [], source)).toEqual({ PATH: "/bin" });
  });

  it("inherits what the configuration names, if it is there", () => {
    expect(serverEnvironment({}, ["LANG", "MISSING"], source)).toEqual({ PATH: "/bin", LANG: "C" });
  });

  it("lets the configuration's own values win", () => {
    const declared = { PATH: "/opt/bin", LANG: "de", EMPTY: "" };
    expect(serverEnvironment(declared, ["LANG"], source)).toEqual(declared);
  });

  it("hands on no shell functions", () => {
    const shell = { PATH: "() { :; }; echo", USER: "me", "BASH_FUNC_x%%": "() { echo; }" };
    expect(serverEnvironment({}, ["BASH_FUNC_x%%"], shell)).toEqual(
      process.platform === "win32" ? {} : { USER: "me" },
    );
  });

  it("reads the environment of the process unless told otherwise", () => {
    expect(serverEnvironment({}, [])["PATH"]).toBe(process.env["PATH"]);
  });
});
