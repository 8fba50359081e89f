import { effect, signal } from "@preact/signals";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { signInWanted } from "./ask-to-sign-in.ts";
import { api } from "./client.ts";

/** Who reads this page, and what the api lets them do; undefined until it is known. */
export const me = signal<ApiResponse<"GET /api/v1/me"> | undefined>(undefined);

/** Reads it now and after each sign-in. Called once by the page. */
export function followMe(): void {
  effect(() => {
    if (signInWanted.value !== undefined) return;
    // Until it is known the page offers everything, and the api refuses.
    api.call("GET /api/v1/me").then(
      (known) => (me.value = known),
      () => undefined,
    );
  });
}
