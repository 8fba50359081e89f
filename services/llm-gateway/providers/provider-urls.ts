/** The providers' own addresses, used without a base_url. Vertex AI's depends on the location. */
export const PROVIDER_URLS = {
  google: "https://generativelanguage.googleapis.com",
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
  xai: "https://api.x.ai/v1",
} as const;
