import { expect, test } from "vitest";

import { expiredAt } from "../src/sign_in/expiry";

const encoded = (text: string) => btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const token = (claims: unknown) => `header.${encoded(JSON.stringify(claims))}.signature`;

test("a token says when it expired", () => {
  const ended = token({ sub: "???>>>~~~", exp: 1_767_323_045 });
  expect(expiredAt(ended, Date.parse("2026-01-02T03:04:06Z"))).toBe("2026-01-02T03:04:05.000Z");
  expect(expiredAt(ended, Date.parse("2026-01-02T03:04:05Z"))).toBeNull();
});

test("of other credentials nothing is known", () => {
  const others = [
    null,
    "",
    "hw_key",
    "a.b.c",
    "a.e30.c",
    token({ exp: "soon" }),
    token({ exp: 1e300 }),
    token({ exp: -1e300 }),
    token(null),
  ];
  expect(others.map((each) => expiredAt(each))).toEqual(others.map(() => null));
});
