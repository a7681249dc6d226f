import { describe, expect, it } from "vitest";

import { Readers } from "./readers.ts";

describe("Readers", () => {
  it("pauses the servers while the only client is slow", () => {
    const pauses: boolean[] = [];
    const reader = new Readers((paused) => pauses.push(paused)).add();
    reader.setSlow(true);
    reader.setSlow(false);
    expect(pauses).toEqual([true, false]);
  });

  it("does not pause them while another client reads", () => {
    const pauses: boolean[] = [];
    const readers = new Readers((paused) => pauses.push(paused));
    const [slow, other] = [readers.add(), readers.add()];
    slow.setSlow(true);
    expect(pauses).toEqual([]);
    other.setSlow(true);
    other.remove();
    expect(pauses).toEqual([true]);
    readers.add();
    expect(pauses).toEqual([true, false]);
  });

  it("resumes the servers when a slow client has left", () => {
    const pauses: boolean[] = [];
    const reader = new Readers((paused) => pauses.push(paused)).add();
    reader.setSlow(true);
    reader.remove();
    reader.setSlow(true);
    expect(pauses).toEqual([true, false]);
  });
});
