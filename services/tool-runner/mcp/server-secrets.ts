import { secretNameKind } from "#shared/masking/secret-names.ts";
import type { HttpSettings, ServerSettings, StdioSettings } from "./server-settings.ts";

/** Shorter values would be found in ordinary words. */
const MIN_LENGTH = 8;
/** A part of a path shorter than this is rather a name than a secret. */
const MIN_PATH_PART = 16;
const SESSION_ID = /\{\{\s*\.SESSION_ID\s*\}\}|%7B%7B(?:%20)*\.SESSION_ID(?:%20)*%7D%7D/gu;
const AUTH_SCHEME = /^(?<scheme>[A-Za-z][\w-]*)\s+(?<value>\S.*)$/u;
const URL_IN_TEXT = /[a-z][a-z0-9+.-]*:\/\/\S+/giu;
/** `--token=value`, `token=value`. */
const ASSIGNMENT = /^-{0,2}(?<name>[\w.-]+)[=:](?<value>.+)$/su;
const FLAG = /^-{1,2}(?<name>[\w.-]+)$/u;
const PATH = /^(?:~|\.{1,2})?\/[^\s]*$/u;
/** Words in one way of writing, and short numbers: names of hosts, regions, media types, versions, switches. */
const WORD = /^(?:[a-z]{1,20}\d{0,3}|[A-Z]{1,20}\d{0,3}|[A-Z][a-z]{1,19}\d{0,3}|[vV]?\d{1,5}[a-z]{0,2})?$/u;

/**
 * The values in a server's settings that must appear nowhere else: tokens, client secrets, keys, the values of headers and
 * of variables of its process, and the credentials in its URLs and arguments. Values that are no secret under a name that
 * promises none (paths, hosts, words, numbers) are left out, because they stand in the evidence too.
 */
export function serverSecrets({ transport }: ServerSettings): readonly string[] {
  const found = transport.type === "stdio" ? secretsOfProcess(transport) : secretsOfHttp(transport);
  return [...new Set(found)].filter((value) => value.length >= MIN_LENGTH);
}

function secretsOfProcess({ args, env }: StdioSettings): string[] {
  const named = Object.entries(env).flatMap(([name, value]) => secretsOfValue(name, value));
  const given = args.flatMap((arg, index) => {
    const { name = "", value = "" } = ASSIGNMENT.exec(arg)?.groups ?? {};
    const flag = FLAG.exec(args[index - 1] ?? "")?.groups?.["name"] ?? "";
    const own = isSecretName(flag) ? [arg] : secretsInUrls(arg);
    return isSecretName(name) ? [...own, value] : own;
  });
  return [...named, ...given];
}

function secretsOfHttp({
  url,
  headers,
  bearerToken = "",
  clientCertificate,
  sessionCleanupUrl = "",
  auth,
}: HttpSettings): string[] {
  return [
    ...Object.entries(headers).flatMap(([name, value]) => secretsOfValue(name, value)),
    bearerToken,
    auth?.secret?.trim() ?? "",
    clientCertificate?.key.trim() ?? "",
    ...secretsInUrls(url.href),
    ...secretsInUrls(sessionCleanupUrl),
  ];
}

/** The secrets in the value of a header or variable. */
function secretsOfValue(name: string, value: string): string[] {
  const inUrls = secretsInUrls(value);
  if (value.includes("://") || PATH.test(value)) return inUrls;
  const { scheme = "", value: credentials = "" } = AUTH_SCHEME.exec(value)?.groups ?? {};
  if (/^basic$/iu.test(scheme)) {
    const [, password = ""] = Buffer.from(credentials, "base64").toString("utf8").split(/:(.*)/su);
    return [credentials, password];
  }
  if (/^(?:bearer|token|digest|apikey)$/iu.test(scheme)) return [credentials];
  // An execution's id stands in the evidence.
  if (value.search(SESSION_ID) !== -1) return [];
  return isSecretName(name) || !isPlain(value) ? [value] : [];
}

/** Passwords, values of parameters that are named as secrets, and random parts of paths. */
function secretsInUrls(text: string): string[] {
  return [...text.replaceAll(SESSION_ID, "").matchAll(URL_IN_TEXT)].flatMap(([address]) => {
    const url = URL.parse(address);
    if (url === null) return [];
    const parameters = [...url.searchParams].flatMap(([name, value]) =>
      isSecretName(name) || !isPlain(value) ? [value, encodeURIComponent(value)] : [],
    );
    const parts = url.pathname.split("/").filter((part) => part.length >= MIN_PATH_PART && !isPlain(part));
    return [url.password, decoded(url.password), ...parameters, ...parts];
  });
}

function isPlain(value: string): boolean {
  return value.split(/[\s_\-./:,;=+@]+/u).every((part) => WORD.test(part));
}

function isSecretName(name: string): boolean {
  return name !== "" && secretNameKind(name) !== undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
