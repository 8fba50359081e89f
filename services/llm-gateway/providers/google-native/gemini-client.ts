import { GoogleGenAI } from "@google/genai";
import { baseUrl } from "../base-url.ts";
import { lruCached } from "../lru-cache.ts";

const GEMINI_URL = "https://generativelanguage.googleapis.com";
/** Thinking and tools live in this version; the SDK's default leaves them out. */
const API_VERSION = "v1beta";
const MAX_CLIENTS = 32;

/** Hands out the SDK's client for a credential and an address; an empty address means Google's own. */
export type ClientCache = (apiKey: string, baseUrl: string) => GoogleGenAI;

/**
 * Opens a cache of clients, keyed by the credential's value and the address. Throws TerminalError `invalid_request`
 * for an address that is no http(s) URL.
 */
export function clientCache(): ClientCache {
  const clients = lruCached(MAX_CLIENTS, openClient);
  return (apiKey, configured) => clients({ apiKey, configured });
}

function openClient({ apiKey, configured }: { apiKey: string; configured: string }): GoogleGenAI {
  return new GoogleGenAI({
    apiKey,
    // Said in full, because the SDK otherwise looks into the process's environment.
    vertexai: false,
    httpOptions: { baseUrl: `${baseUrl(configured, GEMINI_URL)}/`, apiVersion: API_VERSION },
  });
}
