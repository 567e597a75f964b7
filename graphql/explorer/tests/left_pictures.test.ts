import { afterEach, expect, test, vi } from "vitest";
import { heldAt } from "../src/colouring/usePictureForms";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("no failure of a request is without a handler when the picture is left", async () => {
  const left = new AbortController();
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {} });
  vi.stubGlobal(
    "fetch",
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const asked = heldAt({ namespace: "test", name: "orders" }, null, left.signal);
  left.abort();
  await expect(asked).rejects.toThrow("aborted");
  // Vitest fails for a rejection that nothing has handled by then.
  await new Promise((resolve) => setTimeout(resolve, 0));
});
