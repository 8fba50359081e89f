/**
 * What the SDKs read by themselves. Some of it sends conversations elsewhere (LangSmith's tracing), adds headers, or
 * prints; the rest names keys and addresses that only a call's own settings may name.
 */
const READ_BY_SDKS =
  /^(?:LANGSMITH|LANGCHAIN|LC|OPENAI|AZURE_OPENAI|ANTHROPIC|GOOGLE_GENAI|GEMINI)_|^GOOGLE_(?:API_KEY|GEMINI_BASE_URL|VERTEX_BASE_URL|SDK_NODE_LOGGING)$|^CLOUD_ML_REGION$/u;
/** The gateway itself looks keys up by such names, so that one that is set is nothing to tell. */
const OWN_USE = /_(?:API_KEY|TOKEN)$/u;

/**
 * Removes from the process's environment `env` what the SDKs would read, but for `allowed`; to be called before any
 * of them is loaded and after the configuration was read. Returns the names of those that an operator may miss, sorted.
 */
export function withholdVariables(
  env: Record<string, string | undefined>,
  allowed: readonly string[],
): string[] {
  const withheld = Object.keys(env).filter((name) => READ_BY_SDKS.test(name) && !allowed.includes(name));
  for (const name of withheld) delete env[name];
  return withheld.filter((name) => !OWN_USE.test(name)).toSorted();
}
