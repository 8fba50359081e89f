import type { Labels } from "#shared/agent-config/label-matcher.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { RequestError, validationError } from "../http/request-error.ts";
import { textAt, valueAt, type JsonPointer } from "../alerts/json-pointer.ts";
import type { Webhook } from "./read-webhooks.ts";

/** More would keep the request for too long. */
export const MAX_SPLIT = 1_000;
const MAX_TAGS = 200;

/** What an alert says, of which the source knows where. */
interface PlacedAlert {
  readonly value: object;
  readonly incident: string;
  /** What a repetition has, too; the first is the incident. */
  readonly event: readonly string[];
  readonly labels: Labels;
  readonly isOver: boolean;
}

/**
 * The alerts of a body: each entry of its array, with the rest of the body around it in the array's place, or the whole. Throws
 * RequestError 400 naming the place where something else is.
 */
export function readAlerts(payload: unknown, webhook: Webhook): readonly PlacedAlert[] {
  const parts = Array.isArray(payload) ? payload : split(payload, webhook.split);
  if (parts.length > MAX_SPLIT) throw new RequestError(400, `a request may have at most ${MAX_SPLIT} alerts`);
  return parts.map((part: unknown) => readAlert(part, webhook));
}

function readAlert(value: unknown, { incident: places, event, isOver, ...webhook }: Webhook): PlacedAlert {
  if (!isJsonObject(value)) throw new RequestError(400, "request body must be a JSON object");
  const incident = firstAt(value, places);
  if (incident === undefined || isRounded(value, places)) {
    const names = places.map((place) => place.join(".")).join(" or ");
    throw validationError(names, "must be the id of the incident, a text or a number up to 2^53");
  }
  return {
    value,
    incident,
    event: [incident, ...event.map((place) => textAt(value, place) ?? "")],
    labels: {
      ...tagsOf(webhook.tags === undefined ? undefined : valueAt(value, webhook.tags)),
      // Any name may be that of a tag, also that of a text by which the source says what happens.
      ...topLabels(value),
      ...Object.fromEntries(
        webhook.labels.map(([name, text]) => [
          name,
          typeof text === "string" ? text : (firstAt(value, text) ?? ""),
        ]),
      ),
    },
    isOver: isOver((place) => textAt(value, place)),
  };
}

function firstAt(value: unknown, places: readonly JsonPointer[]): string | undefined {
  for (const place of places) {
    const text = textAt(value, place);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** True if the first that is there is a number of which the last digits are lost: other incidents would have the same id. */
function isRounded(value: unknown, places: readonly JsonPointer[]): boolean {
  const place = places.find((one) => textAt(value, one) !== undefined);
  const id = place && valueAt(value, place);
  return typeof id === "number" && Number.isInteger(id) && !Number.isSafeInteger(id);
}

function split(payload: unknown, pointer: JsonPointer | undefined): readonly unknown[] {
  if (pointer === undefined) return [payload];
  const list = valueAt(payload, pointer);
  if (!Array.isArray(list)) throw validationError(pointer.join("."), "must be the list of alerts");
  return list.map((entry: unknown) => replaceAt(payload, pointer, entry));
}

/** A copy with another value at the pointer. */
function replaceAt(value: unknown, [token, ...rest]: JsonPointer, by: unknown): unknown {
  if (token === undefined || typeof value !== "object" || value === null) return by;
  const inner: unknown = Object.getOwnPropertyDescriptor(value, token)?.value;
  return { ...value, [token]: replaceAt(inner, rest, by) };
}

/** The texts at the top of a JSON object. */
export function topLabels(value: unknown): Labels {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Tags as `a:b, c`, as a list of such texts, of pairs or of objects with a name and a value, or as an object. */
function tagsOf(tags: unknown): Labels {
  const list: readonly unknown[] =
    typeof tags === "string"
      ? tags.split(",")
      : Array.isArray(tags)
        ? tags
        : isJsonObject(tags)
          ? Object.entries(tags)
          : [];
  return Object.fromEntries(list.slice(0, MAX_TAGS).flatMap(labelOf));
}

function labelOf(tag: unknown): [string, string][] {
  if (typeof tag === "string") {
    const [name = "", ...value] = tag.split(":");
    return name.trim() === "" ? [] : [[name.trim(), value.length === 0 ? "true" : value.join(":").trim()]];
  }
  const pair: readonly unknown[] = Array.isArray(tag)
    ? tag
    : isJsonObject(tag)
      ? [tag["tag"] ?? tag["name"] ?? tag["key"], tag["value"]]
      : [];
  const [name, value] = pair;
  return typeof name === "string" && typeof value === "string" ? [[name, value]] : [];
}
