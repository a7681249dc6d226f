import { delimiter, dirname } from "node:path";
import { describe, expect, it, vi } from "vitest";

import { processEnvironment, serverEnvironment, withOwnNode } from "./environment.ts";

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

describe("the search path of a server", () => {
  it("ends with the folder of our own Node.js", () => {
    expect(withOwnNode("/usr/bin:/bin", "/opt/node/bin/node")).toBe("/usr/bin:/bin:/opt/node/bin");
    expect(withOwnNode("/opt/node/bin:/bin", "/opt/node/bin/node")).toBe("/opt/node/bin:/bin");
  });

  it("is used to find its program, unless the configuration sets another one", () => {
    vi.stubEnv("PATH", "/nowhere");
    const transport = { kind: "stdio", command: "node", args: [], cwd: undefined } as const;
    const path = `/nowhere${delimiter}${dirname(process.execPath)}`;
    expect(processEnvironment({ ...transport, env: {} }, [])["PATH"]).toBe(path);
    expect(processEnvironment({ ...transport, env: { PATH: "/own" } }, [])["PATH"]).toBe("/own");
    vi.unstubAllEnvs();
  });
});
