import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addressClass } from "./address-class.ts";

describe("addressClass", () => {
  it.each([
    ["8.8.8.8", "public"],
    ["172.15.0.1", "public"],
    ["172.32.0.1", "public"],
    ["100.63.255.255", "public"],
    ["2606:4700::1111", "public"],
    ["64:ff9b::808:808", "public"],
    ["2002:808:808::1", "public"],
    ["10.1.2.3", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "private"],
    ["198.18.0.1", "private"],
    ["fd00::1", "private"],
    ["64:ff9b:1::1", "private"],
    ["64:ff9b::a00:1", "private"],
    ["2002:c0a8:101::1", "private"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["0:0:0:0:0:ffff:7f00:0001", "loopback"],
    ["::ffff:0:127.0.0.1", "loopback"],
    ["169.254.169.254", "link-local"],
    ["::ffff:169.254.169.254", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["0.0.0.0", "special"],
    ["::", "special"],
    ["::127.0.0.1", "special"],
    ["255.255.255.255", "special"],
    ["224.0.0.1", "special"],
    ["ff02::1", "special"],
    ["2001:0:1::", "special"],
    ["2001:db8::1", "special"],
    ["192.0.2.1", "special"],
    ["localhost", "special"],
    ["0177.0.0.1", "special"],
    ["", "special"],
  ])("of %s is %s", (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });

  it("is the same for an IPv4 address and its form in IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressClass(`::ffff:${address}`)).toBe(addressClass(address));
      }),
    );
  });

  it("is known for every IPv6 address", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(addressClass(address)).toMatch(/^(public|private|loopback|link-local|special)$/);
      }),
    );
  });
});
