import { describe, expect, it } from "vitest";

import { UiSessions } from "./sessions.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function sessionsAt(): { sessions: UiSessions; pass: (ms: number) => void } {
  let now = 1_000_000;
  return { sessions: new UiSessions(() => now), pass: (ms) => void (now += ms) };
}

describe("a one-time code", () => {
  it("is exchanged for a session once", () => {
    const { sessions } = sessionsAt();
    const code = sessions.newCode();
    const login = sessions.login(code);
    expect(sessions.find(login?.cookie ?? "")).toBe(login?.session);
    expect(sessions.login(code)).toBeUndefined();
    expect(sessions.size).toBe(1);
  });

  it("is not valid after a minute", () => {
    const { sessions, pass } = sessionsAt();
    const code = sessions.newCode();
    pass(MINUTE);
    expect(sessions.login(code)).toBeUndefined();
  });

  it("is forgotten when there are sixteen newer ones", () => {
    const { sessions } = sessionsAt();
    const [first = "", second = ""] = Array.from({ length: 17 }, () => sessions.newCode());
    expect(sessions.login(first)).toBeUndefined();
    expect(sessions.login(second)).toBeDefined();
  });
});

describe("a session of the dashboard", () => {
  const signedIn = (sessions: UiSessions) => {
    const login = sessions.login(sessions.newCode());
    if (login === undefined) throw new Error("no session");
    return login;
  };

  it("ends after an hour without use", () => {
    const { sessions, pass } = sessionsAt();
    const { cookie } = signedIn(sessions);
    pass(HOUR - 1);
    expect(sessions.find(cookie)).toBeDefined();
    pass(HOUR);
    expect(sessions.find(cookie)).toBeUndefined();
  });

  it("is in use while it has a stream, and ends after twelve hours", () => {
    const { sessions, pass } = sessionsAt();
    const { cookie, session } = signedIn(sessions);
    let ended = 0;
    session.onEnd.add(() => ended++);
    for (let hour = 0; hour < 11; hour++) {
      pass(HOUR);
      sessions.expire();
    }
    expect(sessions.find(cookie)).toBe(session);
    pass(HOUR);
    expect(sessions.find(cookie)).toBeUndefined();
    expect(ended).toBe(1);
  });

  it("ends when it signs out, and when there are sixteen newer ones", () => {
    const { sessions } = sessionsAt();
    const all = Array.from({ length: 17 }, () => signedIn(sessions));
    const isValid = ({ cookie }: { cookie: string }): boolean =>
      sessions.find(cookie) !== undefined;
    expect(all.map(isValid)).toEqual([false, ...Array.from({ length: 16 }, () => true)]);
    sessions.logout(signedIn(sessions).session);
    expect(sessions.size).toBe(15);
  });
});
