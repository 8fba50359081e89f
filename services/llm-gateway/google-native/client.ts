import { GoogleGenAI } from "@google/genai";
import { refusal } from "../llm-error.ts";

const GEMINI_URL = "https://generativelanguage.googleapis.com/";
/** Thinking and tools live in this version; the SDK's default leaves them out. */
const API_VERSION = "v1beta";
const MAX_CLIENTS = 32;

/** Hands out the SDK's client for a credential and an address; an empty address means Google's own. */
export type ClientCache = (apiKey: string, baseUrl: string) => GoogleGenAI;

/**
 * Opens a cache of clients, keyed by the credential's value and the address, and bounded: the one unused for longest
 * goes first. Throws TerminalError `invalid_request` for an address that is no http(s) URL.
 */
export function clientCache(): ClientCache {
  const clients = new Map<string, GoogleGenAI>();
  return (apiKey, baseUrl) => {
    const key = JSON.stringify([apiKey, baseUrl]);
    const client = clients.get(key) ?? openClient(apiKey, baseUrl);
    clients.delete(key);
    clients.set(key, client);
    const [oldest] = clients.keys();
    if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest);
    return client;
  };
}

function openClient(apiKey: string, baseUrl: string): GoogleGenAI {
  const url = URL.parse(baseUrl === "" ? GEMINI_URL : baseUrl);
  if (url === null || !["https:", "http:"].includes(url.protocol) || url.username + url.password !== "") {
    // The value may hold a password, so it is not repeated.
    throw refusal(
      "invalid_request",
      "base_url is not a usable URL: it must start with https:// or http:// and hold no user or password",
    );
  }
  return new GoogleGenAI({
    apiKey,
    // Said in full, because the SDK otherwise looks into the process's environment.
    vertexai: false,
    httpOptions: { baseUrl: url.href, apiVersion: API_VERSION },
  });
}
