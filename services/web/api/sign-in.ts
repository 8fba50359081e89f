import { TEXT } from "../text.ts";
import { api, failureText } from "./client.ts";
import { askToSignIn, signedIn, signIns } from "./ask-to-sign-in.ts";
import { me } from "./me.ts";
import { store, storedName } from "./stored.ts";

const TOKEN = /^#token=(?<token>.+)$/u;

/** What a header can have. */
const PRINTABLE = /^[!-~]+$/u;

/** Signs the page in with a token or an API key. Throws ApiFailure, or an error if the text is none. */
export async function signIn(token: string): Promise<void> {
  if (!PRINTABLE.test(token)) throw new Error(TEXT.signIn.notValid);
  await api.signIn(token);
  signedIn();
}

/** Forgets what let this page in, and everything that it shows; with the identity provider, there too. */
export async function signOut(): Promise<void> {
  if (me.value?.signed_in === true) {
    const { url } = await api.call("POST /api/v1/auth/logout");
    location.assign(url);
    return;
  }
  store("page", undefined);
  // The proof alone is worth nothing, the cookie alone neither: without an answer the page is signed out, too.
  await api.call("DELETE /api/v1/page-session").catch(() => undefined);
  location.reload();
}

/** Signs in with the token of an address that the terminal printed, and removes it from the address and the history. */
export async function signInByAddress(): Promise<void> {
  const token = TOKEN.exec(location.hash)?.groups?.["token"];
  if (token === undefined) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    await signIn(decoded(token));
  } catch (error) {
    void askToSignIn(failureText(error));
  }
}

/** A token as an address has it; as it is where that is no encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Signs in by an address that the reader follows while the page is open, and where another tab signs in. */
export function listenForSignIns(): void {
  addEventListener("hashchange", () => void signInByAddress());
  signIns().addEventListener("message", signedIn);
  addEventListener("storage", ({ key, newValue }) => {
    if (key === storedName("page") && newValue !== null) signedIn();
  });
}
