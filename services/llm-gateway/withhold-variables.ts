/**
 * Variables that the SDKs read without being told to. Some send conversations elsewhere (LangSmith tracing), add
 * headers or enable output; the others set keys and addresses, which only a call's own settings may set.
 */
const READ_BY_SDKS =
  /^(?:LANGSMITH|LANGCHAIN|LC|OPENAI|AZURE_OPENAI|GOOGLE_GENAI|GEMINI)_|^GOOGLE_(?:API_KEY|GEMINI_BASE_URL|VERTEX_BASE_URL|SDK_NODE_LOGGING)$|^_X_AMZN_TRACE_ID$|^AWS_BEARER_TOKEN_|^AWS_ENDPOINT_URL(?:_BEDROCK_RUNTIME)?$/u;
/** Such variables usually hold credentials that the gateway itself looks up, so withholding them needs no warning. */
const OWN_USE = /_(?:API_KEY|TOKEN)$/u;

/**
 * Removes every variable that the SDKs would read from `env`, except those in `allowed`. Call it after the
 * configuration was read and before an SDK is loaded. Returns the removed names that are worth a warning, sorted.
 */
export function withholdVariables(
  env: Record<string, string | undefined>,
  allowed: readonly string[],
): string[] {
  const withheld = Object.keys(env).filter((name) => READ_BY_SDKS.test(name) && !allowed.includes(name));
  for (const name of withheld) delete env[name];
  return withheld.filter((name) => !OWN_USE.test(name)).toSorted();
}
