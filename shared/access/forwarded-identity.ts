import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { namesSomeone } from "#shared/access/names-someone.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

const USER_HEADERS = ["x-forwarded-user", "x-forwarded-email", "x-remote-user"] as const;

/** The user that an authenticating proxy names, from the first header that it sets; undefined if it sets none. */
export function forwardedUser(headers: IncomingHttpHeaders): string | undefined {
  return USER_HEADERS.map((header) => headerText(headers[header])).find(namesSomeone);
}

/** The user's groups, separated by commas. */
export function forwardedGroups(headers: IncomingHttpHeaders): string[] {
  return headerText(headers["x-forwarded-groups"])
    .split(",")
    .map((group) => group.trim())
    .filter((group) => group !== "");
}

function headerText(value: string | string[] | undefined): string {
  const text = String(value ?? "");
  // Node decodes headers as Latin-1, but proxies send UTF-8.
  const bytes = Buffer.from(text, "latin1");
  return postgresSafeText(isUtf8(bytes) ? bytes.toString("utf8") : text).text;
}
