import { terminal } from "../errors/llm-error.ts";

/**
 * The address to call, without a slash at its end; the provider's own where `configured` is empty. Throws
 * TerminalError `invalid_request` for what is no http(s) URL, without repeating it: it may hold a password.
 */
export function baseUrl(configured: string, own: string): string {
  const url = URL.parse(configured === "" ? own : configured);
  if (url === null || !["https:", "http:"].includes(url.protocol) || url.username + url.password !== "") {
    throw terminal(
      "invalid_request",
      "base_url is not a usable URL: it must start with https:// or http:// and hold no user or password",
    );
  }
  return url.href.replace(/\/+$/u, "");
}
