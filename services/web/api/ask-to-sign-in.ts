import { signal } from "@preact/signals";

/** Why the reader is asked to sign in; empty if there is no reason to show, undefined while the reader is not asked. */
export const signInWanted = signal<string>();

/** True while the reader is asked for the sake of a call that stays in view beside the question. */
export const isForApproval = signal(false);

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
export async function askToSignIn(why: string, stop?: AbortSignal, forApproval = false): Promise<boolean> {
  if (isDeclined) return false;
  if (question === undefined) {
    question = Promise.withResolvers<boolean>();
    isForApproval.value = forApproval;
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
