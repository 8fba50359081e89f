const MAX_CHARS = 500;
const SESSION = /session|server not initialized/iu;
const IS_GONE =
  /not found|could not find|no transport|unknown|not valid|invalid|no valid|expired|terminated|does(?: not|n't) exist|no such|no longer|missing|not initialized|gone|closed/iu;

/**
 * True if these words of a refusal say that the server does not know the session, in the form of any library. They prove nothing: a
 * tool that has run may report a session of its own, so only a call that may be repeated is.
 */
export function saysForgottenSession(words: string): boolean {
  return words.length <= MAX_CHARS && SESSION.test(words) && IS_GONE.test(words);
}
