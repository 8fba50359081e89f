import { geminiVersion } from "../gemini-version.ts";

/**
 * Google's documented replacement for a missing thought signature, e.g. after another model began the conversation.
 * From Gemini 3 on, the API refuses function calls of the current turn without a signature.
 */
export const PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator";

/** True for models that refuse function calls without a signature; also for names without a version, to be safe. */
export function needsSignature(model: string): boolean {
  return (geminiVersion(model) ?? 3) >= 3;
}
