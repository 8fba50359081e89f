import { terminal } from "../errors/llm-error.ts";

/**
 * The URL to call, without a trailing slash: `configured`, or `fallback` if that is empty. Throws TerminalError
 * `invalid_request` unless it is an http(s) URL. The error does not repeat the URL, which may contain a password.
 */
export function baseUrl(configured: string, fallback: string): string {
  const url = URL.parse(configured === "" ? fallback : configured);
  if (url === null || !["https:", "http:"].includes(url.protocol) || url.username + url.password !== "") {
    throw terminal(
      "invalid_request",
      "base_url is not a usable URL: it must start with https:// or http:// and hold no user or password",
    );
  }
  return url.href.replace(/\/+$/u, "");
}
