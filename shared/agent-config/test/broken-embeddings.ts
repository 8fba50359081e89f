import type { BrokenFile } from "./broken-file.ts";

/** Embeddings with one mistake each. */
export const BROKEN_EMBEDDINGS: readonly BrokenFile[] = [
  ["provider: §cohere", "provider", "google"],
  ["dimensions: §-1", "dimensions", "from 1 to 4096"],
  ["dimensions: §4097", "dimensions", "from 1 to 4096"],
  ["api_key_env: §sk-123", "api_key_env", "must be the name of an environment variable"],
  ["base_url: §localhost:1234", "base_url", "must be an http or https URL"],
].map(([line = "", key = "", says = ""]): BrokenFile => ({
  name: `an embedding with ${line.replace("§", "")}`,
  tarsy: `defaults:\n  llm_provider: test\n  memory:\n    enabled: true\n    embedding:\n      ${line}\n`,
  errors: [[`defaults.memory.embedding.${key}`, says]],
}));
