import { isObject, withPlainNumbers } from "#shared/exact-json.ts";

/** The values that stand for an object in some languages' JSON if it is empty. */
export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Deeper members are left as they are; messages of the protocol end before. */
const MAX_DEPTH = 8;

/** An object in the place of one that may be `null`, missing, an empty list, or anything else. */
export function objectOr(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** The value without the members that are `null`: in the protocol an optional member is there or not. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item, depth + 1));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member, depth + 1)]));
}

/** The result of `initialize`: what a server does not say of itself is empty, and what is no object of the protocol left out. */
export function readableHandshake(result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { capabilities, serverInfo, instructions, _meta: meta, ...others } = objectOr(withoutNulls(result));
  const { name, version, ...about } = objectOr(serverInfo);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    ...others,
    capabilities: readableCapabilities(capabilities),
    serverInfo: { ...about, name: text(name), version: text(version) },
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
}

/** `true` and an empty list stand for a capability without details. */
function readableCapabilities(capabilities: unknown): Record<string, unknown> {
  const known = Object.entries(objectOr(capabilities)).flatMap(([name, value]): [string, unknown][] => {
    if (isObject(value)) return [[name, value]];
    return value === true || isEmptyList(value) ? [[name, {}]] : [];
  });
  return Object.fromEntries(known);
}

/** An error of JSON-RPC with a code and a message, also if the server left them out. */
export function readableError(error: unknown): Record<string, unknown> {
  const { code, message, ...others } = objectOr(withPlainNumbers(error));
  const number = Number(code ?? Number.NaN);
  return {
    ...others,
    code: Number.isSafeInteger(number) ? number : -32_603,
    message: typeof message === "string" ? message : JSON.stringify(message ?? error ?? "no reason given"),
  };
}
