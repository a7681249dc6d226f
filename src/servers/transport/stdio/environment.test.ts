import { describe, expect, it } from "vitest";

import { serverEnvironment } from "./environment.ts";

const source = { PATH: "/bin", AWS_SECRET_ACCESS_KEY: "s3cret", LANG: "C", TZ: "UTC" };

describe("serverEnvironment", () => {
  it("contains only the variables that every program needs", () => {
    expect(serverEnvironment({}, [], source)).toEqual({ PATH: "/bin" });
  });

  it("contains the variables that the configuration inherits, if they are set", () => {
    expect(serverEnvironment({}, ["LANG", "MISSING"], source)).toEqual({ PATH: "/bin", LANG: "C" });
  });

  it("prefers values from the configuration over inherited ones", () => {
    const declared = { PATH: "/opt/bin", LANG: "de", EMPTY: "" };
    expect(serverEnvironment(declared, ["LANG"], source)).toEqual(declared);
  });

  it("contains no shell functions", () => {
    const shell = { PATH: "() { :; }; echo", USER: "me", "BASH_FUNC_x%%": "() { echo; }" };
    expect(serverEnvironment({}, ["BASH_FUNC_x%%"], shell)).toEqual(
      process.platform === "win32" ? {} : { USER: "me" },
    );
  });

  it("reads the environment of this process by default", () => {
    expect(serverEnvironment({}, [])["PATH"]).toBe(process.env["PATH"]);
  });
});
