import { errorMessage } from "#shared/errors.ts";

/** The message a promise rejects with; an error when it does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return errorMessage(error);
  }
  throw new Error("it was accepted");
}
