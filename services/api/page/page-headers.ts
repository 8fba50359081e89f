/** Nothing from another origin, no inline script or style, and no text that a script turns into HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const UNUSED_FEATURES = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "microphone",
];

/** The headers of the page beside those of every answer. HSTS is for the proxy that ends TLS. */
export const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": [...UNUSED_FEATURES, "payment", "usb"].map((feature) => `${feature}=()`).join(", "),
} as const;
