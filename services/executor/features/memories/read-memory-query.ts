import type { MemoryToolName } from "#shared/contracts/memory.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { MAX_DAYS_BACK, MAX_FOUND_SESSIONS, MAX_RECALLED } from "../../controllers/built-in-tools.ts";
import type { SessionQuery } from "./find-sessions.ts";
import { integerOf, textOf } from "../../tools/built-in/read-query.ts";

/** The query of a call that looks at earlier sessions. */
export type MemoryLookup =
  | { readonly kind: "recall"; readonly query: string; readonly limit: number }
  | ({ readonly kind: "search" } & SessionQuery);

const MAX_QUERY_CHARS = 1_000;
const MAX_WORDS = 12;
const MAX_WORD_CHARS = 100;
const MAX_TYPE_CHARS = 200;

/** Reads the arguments of a call of a tool that looks at earlier sessions; a text says for the model what is wrong with them. */
export function readMemoryQuery(name: MemoryToolName, parameters: JsonObject): MemoryLookup | string {
  const query = textOf(parameters["query"]).toWellFormed().trim();
  if (query === "") return 'The argument "query" is missing: the words to look for.';
  if (query.length > MAX_QUERY_CHARS) {
    return `The argument "query" has ${query.length} characters; ${MAX_QUERY_CHARS} are allowed.`;
  }
  return name === "recall_past_investigations" ? recall(query, parameters) : search(query, parameters);
}

function recall(query: string, parameters: JsonObject): MemoryLookup | string {
  const limit = within(parameters, "limit", { fallback: 10, max: MAX_RECALLED });
  return typeof limit === "string" ? limit : { kind: "recall", query, limit };
}

function search(query: string, parameters: JsonObject): MemoryLookup | string {
  const words = [
    ...new Set(query.toLowerCase().match(/[\p{L}\p{N}](?:[\p{L}\p{N}._/:-]*[\p{L}\p{N}])?/gu) ?? []),
  ];
  if (words.length === 0) return 'The argument "query" has no word: letters or digits are needed.';
  if (words.length > MAX_WORDS || words.some((word) => word.length > MAX_WORD_CHARS)) {
    return `The argument "query" may have ${MAX_WORDS} words of ${MAX_WORD_CHARS} characters: an alert must have all of them.`;
  }
  const alertType = textOf(parameters["alert_type"]).toWellFormed().trim();
  if (alertType.length > MAX_TYPE_CHARS) {
    return `The argument "alert_type" has ${alertType.length} characters; ${MAX_TYPE_CHARS} are allowed.`;
  }
  const daysBack = within(parameters, "days_back", { fallback: 30, max: MAX_DAYS_BACK });
  const limit = within(parameters, "limit", { fallback: 5, max: MAX_FOUND_SESSIONS });
  if (typeof daysBack === "string") return daysBack;
  if (typeof limit === "string") return limit;
  return { kind: "search", words, alertType: alertType === "" ? null : alertType, daysBack, limit };
}

function within(
  parameters: JsonObject,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number | string {
  const value = integerOf(parameters[name], fallback);
  if (value !== null && value >= 1 && value <= max) return value;
  return `The argument "${name}" must be a whole number from 1 to ${max}.`;
}
