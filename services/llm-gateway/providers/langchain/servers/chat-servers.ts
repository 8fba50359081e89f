import { PROVIDER_URLS } from "../../provider-urls.ts";
import type { ChatServer } from "./chat-server.ts";
import { DEEPSEEK } from "./deepseek.ts";
import { GROQ } from "./groq.ts";
import { MISTRAL } from "./mistral.ts";
import { OPENROUTER } from "./openrouter.ts";

/** The servers of chat completions by provider type. */
export const CHAT_SERVERS = {
  xai: { url: PROVIDER_URLS.xai, reasoning: "round" },
  mistral: MISTRAL,
  groq: GROQ,
  openrouter: OPENROUTER,
  deepseek: DEEPSEEK,
} as const satisfies Readonly<Record<string, ChatServer>>;
