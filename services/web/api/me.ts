import { effect, signal } from "@preact/signals";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { signInWanted, signIns } from "./ask-to-sign-in.ts";
import { api } from "./client.ts";

type Me = ApiResponse<"GET /api/v1/me">;

const AGAIN_MS = 5_000;

/** Who reads this page, and what the api lets them do; undefined until it is known. */
export const me = signal<Me | undefined>(undefined);

/** Whether the api allows the reader's role an action, by its own rules. Until it is known the page offers everything, and the api refuses. */
export function may(action: Me["actions"][number]): boolean {
  return me.value?.actions.includes(action) !== false;
}

/** Reads it now and after each sign-in, again while that fails. Called once by the page. */
export function followMe(): void {
  effect(() => {
    if (signInWanted.value !== undefined) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const ending = new AbortController();
    const read = async () => {
      try {
        me.value = await api.call("GET /api/v1/me", { signal: ending.signal });
        if (me.value.signed_in) signIns().postMessage("");
      } catch {
        if (ending.signal.aborted) return;
        // Who was signed in before may be another person.
        me.value = undefined;
        timer = setTimeout(() => void read(), AGAIN_MS);
      }
    };
    void read();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  });
}
