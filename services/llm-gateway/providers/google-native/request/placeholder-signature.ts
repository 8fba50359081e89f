import { geminiVersion } from "../gemini-version.ts";

/**
 * Sent in place of a thought signature that is missing, because the conversation was begun by another model or written
 * by hand: from Gemini 3 on, the API refuses the current turn's function calls without one, but lets this pass.
 */
export const PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator";

/** True for models that refuse function calls without a signature; a name that tells no version may be one. */
export function needsSignature(model: string): boolean {
  return (geminiVersion(model) ?? 3) >= 3;
}
