import { describe, expect, it } from "vitest";

import { browserCommand, canOpenBrowser } from "./browser.ts";

describe("the program that opens a browser", () => {
  const url = "https://login.test/authorize?a=1&b=$(touch%20x)";

  it.each([
    ["darwin", ["open", url]],
    ["win32", ["rundll32", "url.dll,FileProtocolHandler", url]],
    ["linux", ["xdg-open", url]],
  ] as const)("on %s gets the address as one argument, without a shell", (platform, command) => {
    expect(browserCommand(url, platform)).toEqual(command);
  });

  it("opens web addresses only", () => {
    expect(() => browserCommand("javascript:alert(1)", "linux")).toThrow("only http and https");
    expect(() => browserCommand("file:///etc/passwd", "linux")).toThrow("only http and https");
  });

  it.each([
    ["linux", { DISPLAY: ":0" }, true],
    ["linux", { WAYLAND_DISPLAY: "wayland-0" }, true],
    ["linux", {}, false],
    ["linux", { DISPLAY: ":0", SSH_CONNECTION: "a" }, false],
    ["darwin", {}, true],
    ["darwin", { SSH_TTY: "/dev/ttys1" }, false],
    ["win32", {}, true],
  ] as const)("is of use on %s with %j: %s", (platform, env, expected) => {
    expect(canOpenBrowser(env, platform)).toBe(expected);
  });
});
