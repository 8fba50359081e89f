import { errorMessage } from "#shared/errors.ts";

/** The message that a promise rejects with. Throws if it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return errorMessage(error);
  }
  throw new Error("it was accepted");
}
