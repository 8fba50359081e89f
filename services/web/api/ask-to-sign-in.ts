import { signal } from "@preact/signals";

/** Why the reader is asked to sign in; empty if there is no reason to show, undefined while the reader is not asked. */
export const signInWanted = signal<string>();

/**
 * What the reader is asked for: a token; one for the sake of a call that stays in view beside the question (`approval`); to go to the identity
 * provider (`provider`), which is another tab where the page has something that would be lost (`again`).
 */
type SignInKind = "token" | "approval" | "provider" | "again";
export const signInKind = signal<SignInKind>("token");

let channel: BroadcastChannel | undefined;

/** Over which a tab whose reader is signed in with the identity provider says so to the others. */
export function signIns(): BroadcastChannel {
  return (channel ??= new BroadcastChannel("tarsy-sign-in"));
}

interface SignInQuestion {
  readonly promise: Promise<boolean>;
  readonly resolve: (isSignedIn: boolean) => void;
}

let question: SignInQuestion | undefined;
let isDeclined = false;

/**
 * Asks the reader to sign in, or joins the question that is open. Resolves with false if the reader does not want to; then
 * what the page does by itself asks no more, until the next press of a key or button. Throws the signal's reason.
 */
export async function askToSignIn(
  why: string,
  stop?: AbortSignal,
  kind: SignInKind = "token",
): Promise<boolean> {
  if (isDeclined) return false;
  if (question === undefined) {
    question = Promise.withResolvers<boolean>();
    signInKind.value = kind;
    signInWanted.value = why;
  }
  return answerTo(question, stop);
}

/** Resolves once no question is open: until then every request would be refused. Throws the signal's reason. */
export async function untilAnswered(stop?: AbortSignal): Promise<void> {
  if (question !== undefined) await answerTo(question, stop);
}

/** Closes the question: what waits for it goes on with the new credential. */
export function signedIn(): void {
  isDeclined = false;
  answer(true);
}

/** Closes the question: what waits for it fails as it would have without. */
export function decline(): void {
  isDeclined = true;
  const mayAsk = () => (isDeclined = false);
  for (const press of ["pointerdown", "keydown"]) {
    addEventListener(press, mayAsk, { capture: true, once: true });
  }
  answer(false);
}

function answer(isSignedIn: boolean): void {
  signInWanted.value = undefined;
  question?.resolve(isSignedIn);
  question = undefined;
}

async function answerTo({ promise }: SignInQuestion, stop: AbortSignal | undefined): Promise<boolean> {
  const { promise: stopped, resolve } = Promise.withResolvers<false>();
  const onAbort = () => resolve(false);
  stop?.addEventListener("abort", onAbort, { once: true });
  const isSignedIn = stop?.aborted === true ? false : await Promise.race([promise, stopped]);
  stop?.removeEventListener("abort", onAbort);
  stop?.throwIfAborted();
  return isSignedIn;
}
