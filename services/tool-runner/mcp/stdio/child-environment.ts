import type { Environment } from "#shared/service/environment.ts";

const ALLOWED = new Set([
  "PATH",
  "HOME",
  "LANG",
  "TZ",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
]);

/** The variables of a server's process: a few harmless ones of this process, and those configured for the server. */
export function childEnvironment(
  own: Environment,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.has(name) || name.startsWith("LC_")) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...configured };
}
