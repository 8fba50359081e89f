/**
 * Headers of every HTTP answer: no page of another origin embeds, frames or loads it, no browser guesses its type, sends
 * its address on, stores it or gives it a device.
 */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "cache-control": "no-store",
} as const;
