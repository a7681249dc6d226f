import { describe, expect, it } from "vitest";

import { hideSecrets } from "./hidden-secrets.ts";

describe("the secrets in a configuration", () => {
  const text = '{ "env": { "A": "top-secret", "B": "top-secret-2", "C": "x\\"y\\"z" } }\n';
  const hidden = hideSecrets(text, ["top-secret", "top-secret-2", 'x"y"z', "absent-value", "x"]);

  it("are replaced by marks, the longest first", () => {
    expect(hidden.text).toBe(
      '{ "env": { "A": "«secret 2»", "B": "«secret 1»", "C": "«secret 3»" } }\n',
    );
  });

  it("are put back where their marks are", () => {
    expect(hidden.restore(hidden.text)).toBe(text);
    expect(hidden.restore('{ "X": "«secret 2»«secret 9»" }')).toBe(
      '{ "X": "top-secret«secret 9»" }',
    );
  });

  it("are found by their form, too", () => {
    const url = '{ "url": "https://user:pa55w0rd-123@example.com" }';
    const found = hideSecrets(url, []);
    expect(found.text).not.toContain("pa55w0rd");
    expect(found.restore(found.text)).toBe(url);
  });

  it("do not get marks that the text has already", () => {
    const own = '{ "a": "«secret 1»", "b": "top-secret" }';
    const found = hideSecrets(own, ["top-secret"]);
    expect(found.text).toContain("«secret 2»");
    expect(found.restore(found.text)).toBe(own);
  });
});
