import { describe, expect, it } from "vitest";

import { CAPABILITIES_KEY, INFO_KEY } from "../../protocol/envelope.ts";
import { ModernProfiles } from "./profiles.ts";

const meta = (capabilities: object, name = "c") => ({
  [CAPABILITIES_KEY]: capabilities,
  [INFO_KEY]: { name, version: "1" },
});

describe("the profile of a modern request", () => {
  it("describes the client as the request does", () => {
    const { profile } = new ModernProfiles(false).take(meta({ roots: {} }, "me"));
    expect(profile).toMatchObject({
      era: "modern",
      capabilities: { roots: {} },
      info: { name: "me", version: "1" },
    });
  });

  it("differs between concurrent requests, but has the same share key", () => {
    const profiles = new ModernProfiles(false);
    const [one, two] = [profiles.take(meta({})), profiles.take(meta({}))];
    expect(one.profile.ownKey).not.toBe(two.profile.ownKey);
    expect(one.profile.shareKey).toBe(two.profile.shareKey);
    one.release();
    expect(profiles.take(meta({})).profile).toBe(one.profile);
  });

  it("is never reused for a client that describes itself differently", () => {
    const profiles = new ModernProfiles(false);
    const first = profiles.take(meta({}));
    first.release();
    expect(profiles.take(meta({ roots: {} })).profile).not.toBe(first.profile);
    expect(profiles.take(meta({}, "other")).profile).not.toBe(first.profile);
  });

  it("is always the same where there is only one client", () => {
    const profiles = new ModernProfiles(true);
    const first = profiles.take(meta({}));
    expect(profiles.take(meta({})).profile).toBe(first.profile);
    first.release();
    expect(profiles.take(meta({})).profile).toBe(first.profile);
  });
});
