import { readFileSync } from "node:fs";
import type { ClientConfig } from "pg";

/** TLS settings of the driver: false for none, undefined where the URL says nothing. */
export type Tls = ClientConfig["ssl"];

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/**
 * What libpq's `sslmode` means (PostgreSQL manual, "SSL Support"), as settings to be tried in this order; the driver takes most modes for
 * `verify-full`. Reads the files of certificates. Returns what is wrong as the end of a sentence.
 */
export function readTls(
  parameters: Readonly<Record<string, string>>,
  { isSocket }: { readonly isSocket: boolean },
): readonly Tls[] | string {
  const { sslrootcert: root, ssl } = parameters;
  if (ssl !== undefined && ssl !== "true") return "has an ssl that is not true: use sslmode";
  const hasFiles = FILES.some(([name]) => parameters[name] !== undefined);
  const mode = parameters["sslmode"] ?? (ssl === "true" ? "require" : hasFiles ? "prefer" : undefined);
  if (mode !== undefined && !SSL_MODES.includes(mode)) {
    return `has an sslmode that is not supported: it may be ${SSL_MODES.join(", ")}`;
  }
  // As with libpq, sockets have no TLS.
  if (isSocket || mode === "disable") return [false];
  if (mode === undefined) return [undefined];
  const files = readFiles(parameters, mode);
  if (typeof files === "string") return files;
  const verifiesCa = mode === "verify-ca" || (mode === "require" && root !== undefined);
  const anyName = { checkServerIdentity: () => undefined };
  const verification = verifiesCa ? anyName : mode === "verify-full" ? {} : { rejectUnauthorized: false };
  const tls = { ...files, ...verification };
  if (mode === "prefer") return [tls, false];
  return mode === "allow" ? [false, tls] : [tls];
}

/** The parameters that name files, and what the driver calls their content. */
const FILES = [
  ["sslrootcert", "ca"],
  ["sslcert", "cert"],
  ["sslkey", "key"],
] as const;

function readFiles(
  parameters: Readonly<Record<string, string>>,
  mode: string,
): Record<string, string> | string {
  const { sslrootcert: root, sslcert, sslkey } = parameters;
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    return "has one of sslcert and sslkey: a certificate of the client needs both";
  }
  const isSystem = root === "system";
  if (isSystem && mode !== "verify-full") return "has sslrootcert=system, which needs sslmode=verify-full";
  if (mode === "verify-ca" && root === undefined) {
    return "has sslmode=verify-ca without sslrootcert: name the file with the certificate of the CA";
  }
  const files: Record<string, string> = {};
  for (const [name, option] of FILES) {
    const path = parameters[name];
    if (path === undefined || (name === "sslrootcert" && isSystem)) continue;
    try {
      files[option] = readFileSync(path, "utf8");
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
      return `has an ${name} whose file ${path} cannot be read (${code}): make it readable for this process`;
    }
  }
  return files;
}
