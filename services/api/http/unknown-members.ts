import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Middleware } from "koa";
import type { TSchema } from "typebox";
import { nearestName } from "#shared/agent-config/suggest-name.ts";
import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { RULES_OF_NAMES } from "#shared/masking/masking-rules.ts";
import { abbreviate } from "./request-error.ts";

/** More are not named. */
const MAX_WARNINGS = 20;

/** A member of a body that its route does not have. */
interface UnknownMember {
  /** Where it is: `mcp.servers[0]`; empty at the top. */
  readonly path: string;
  readonly name: string;
  /** Those that are known there. */
  readonly known: readonly string[];
}

interface ExpectedBody {
  readonly schema: TSchema;
  unknown: readonly UnknownMember[];
}

const expected = new WeakMap<IncomingMessage, ExpectedBody>();

/**
 * Tells the client of a route which members of its body were ignored, and what may have been meant: a misspelled one silently means
 * something else. They are in the member `warnings` of an answer that is an object.
 */
export function warnOfUnknown(schema: TSchema, masker: Pick<Masker, "mask">): Middleware {
  return async (ctx, next) => {
    const body: ExpectedBody = { schema, unknown: [] };
    expected.set(ctx.req, body);
    await next();
    const answer: unknown = ctx.body;
    if (body.unknown.length === 0 || typeof answer !== "object" || answer === null) return;
    if (answer instanceof Readable) return;
    const warnings: string[] = [];
    for (const member of body.unknown) {
      warnings.push(await maskOrWithhold(masker, warningOf(member), RULES_OF_NAMES));
    }
    ctx.body = { ...answer, warnings };
  };
}

/** Notes what the route of a request does not know in its decoded body, before that is changed. */
export function noteUnknown(request: IncomingMessage, body: unknown): void {
  const route = expected.get(request);
  if (route !== undefined) route.unknown = unknownMembers(route.schema, body, "").slice(0, MAX_WARNINGS);
}

function warningOf({ path, name, known }: UnknownMember): string {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `known are ${known.join(", ")}` : `did you mean '${nearest}'?`;
  const place = path === "" ? "" : ` of '${path}'`;
  return `unknown member '${abbreviate(name)}'${place} is ignored: ${hint}`;
}

function unknownMembers(schema: unknown, value: unknown, path: string): UnknownMember[] {
  if (typeof value !== "object" || value === null) return [];
  const { anyOf, type, items, properties, additionalProperties } = keywordsOf(schema);
  if (Array.isArray(anyOf)) {
    const wanted = Array.isArray(value) ? "array" : "object";
    const fitting: unknown = anyOf.find((one) => keywordsOf(one)["type"] === wanted);
    return fitting === undefined ? [] : unknownMembers(fitting, value, path);
  }
  if (Array.isArray(value)) {
    if (type !== "array") return [];
    return value.slice(0, MAX_WARNINGS).flatMap((item, at) => unknownMembers(items, item, `${path}[${at}]`));
  }
  if (properties === undefined || additionalProperties === true) return [];
  const members = keywordsOf(properties);
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!Object.hasOwn(members, name)) return { path, name, known: Object.keys(members) };
    return unknownMembers(members[name], inner, path === "" ? name : `${path}.${name}`);
  });
}

function keywordsOf(schema: unknown): JsonObject {
  return isJsonObject(schema) ? schema : {};
}
