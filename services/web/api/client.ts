import { ApiClient } from "#shared/client/api-client.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";
import type { ApiRequest, ApiResponse, ApiRoute } from "#shared/client/api-types.ts";
import { TEXT } from "../text.ts";
import { askToSignIn, untilAnswered } from "./ask-to-sign-in.ts";
import { store, stored } from "./stored.ts";

const client = new ApiClient({
  url: globalThis.location?.origin ?? "",
  // Without a proof, too: no page of another origin can send this header.
  headers: () => ({ "x-tarsy-page": stored("page") ?? "" }),
});

/** Whether the api has answered this page before. */
let isIn = false;

/** Whether this page was signed in and the api has refused that since. */
let hasEnded = false;

/** The api that served this page. */
export const api = {
  url: client.url,

  /**
   * Sends a request. One that the api wants a credential for waits until the reader has signed in, and is then sent again. Throws
   * ApiFailure, with status 401 if the reader does not sign in.
   */
  async call<R extends ApiRoute>(route: R, request: ApiRequest<R> = {}): Promise<ApiResponse<R>> {
    // Each round either gives up a proof or asks the reader, so that none repeats by itself.
    for (;;) {
      await untilAnswered(request.signal);
      const proof = stored("page");
      try {
        const answer = await client.call(route, request);
        isIn = true;
        return answer;
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.status !== 401) throw error;
        // Another tab or request has signed in meanwhile, or given up the same proof.
        if (stored("page") !== proof) continue;
        if (proof === undefined) {
          // A page that was signed out shows what may be no business of its reader.
          const forApproval = !hasEnded && route === "POST /api/v1/sessions/:id/approvals/:approval";
          const withToken = forApproval ? "approval" : "token";
          const kind = error.code !== "sign_in" ? withToken : isIn ? "again" : "provider";
          if (!(await askToSignIn(whyOf(error), request.signal, kind))) throw error;
        } else {
          // Without it the page is who a proxy says that it is, if there is one.
          store("page", undefined);
          hasEnded = true;
        }
      }
    }
  },

  /** Exchanges a token or an API key for what lets this page in. Throws ApiFailure. */
  async signIn(token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const { proof } = await client.call("POST /api/v1/page-session", { headers });
    if (!store("page", proof)) throw new Error(TEXT.signIn.noStorage);
    hasEnded = false;
  },
};

/** What the api says to a page that has no credential, or one that has ended, in words for people. */
function whyOf({ message }: ApiFailure): string {
  const [why = ""] = message.split(": send ");
  if (why !== "no token" && why !== "no API key") return why;
  return hasEnded ? TEXT.signIn.ended : "";
}

/** The notifier, which the api's own address leads to. */
export function socketUrl(): string {
  return `${api.url.replace(/^http/u, "ws")}/ws`;
}

/** What the api says about a request that failed, or that there was no answer. */
export function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
