/** The providers' own addresses, used without a base_url. Vertex AI's and Bedrock's depend on the location. */
export const PROVIDER_URLS = {
  google: "https://generativelanguage.googleapis.com",
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
  xai: "https://api.x.ai/v1",
  mistral: "https://api.mistral.ai/v1",
  groq: "https://api.groq.com/openai/v1",
  openrouter: "https://openrouter.ai/api/v1",
  deepseek: "https://api.deepseek.com",
} as const;
