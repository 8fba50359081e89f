import { parseJson } from "../parse-json.ts";
import { isObject } from "#shared/exact-json.ts";
import { objectsIn, wholeArguments } from "./whole-arguments.ts";

/** A call that a model wrote as text instead of making it. */
interface WrittenCall {
  readonly name: string;
  /** The text of a JSON object. */
  readonly args: string;
}

/** The meaning of a whole text: calls, or a call that cannot be read; undefined for an answer. */
type WrittenText = { readonly calls: readonly WrittenCall[] } | { readonly problem: string } | undefined;

/** The offered tool that a written name means; undefined for none. */
type FindTool = (written: string) => string | undefined;

/** The beginnings of calls in the templates of models: Qwen's and Hermes', Llama's, Mistral's, DeepSeek's, Kimi's, gpt-oss', Claude's. */
const MARK =
  /<\/?(?:\w{1,20}:)?tool(?:_calls?|_code|s)>|<start_function_call>|<function(?:=|_calls?>)|<invoke name=|\[TOOL_CALLS?\]|<[|｜](?:tool|channel|start|call|constrain|message|python_tag|function)[^<>]{0,60}[|｜]>/iu;
const STARTS_WITH_MARK = new RegExp(String.raw`^\s*(?:${MARK.source})`, "iu");
/** The members of a call written as JSON, besides its name and arguments. */
const CALL_KEYS = new Set(
  "name tool tool_name function arguments parameters args tool_input id type".split(" "),
);
/** The ends of calls in such templates. */
const ENDS_WITH_MARK = /<\/(?:\w{1,20}:)?(?:tool_calls?|function(?:_calls?)?|invoke)>\s*$/iu;
const NAMING_TAG = /<function=([^<>]{1,200})>/gu;
const MAX_FRAGMENT_LENGTH = 2_000;
const CANNOT_BE_READ =
  "the model wrote a tool call as text, and it cannot be read as a call of one of its tools";

/**
 * Reads an answer that is nothing but calls written as text, or that ends with such calls behind the mark of a chat template. Only calls
 * of offered tools with the text of one JSON object are calls; a text that begins with such a mark, that ends with one behind a line which begins with one, or that is only the
 * rest of a call, is a problem. Text that quotes JSON is an answer.
 */
export function writtenText(text: string, findTool: FindTool): WrittenText {
  if (STARTS_WITH_MARK.test(text)) {
    const calls = markedCalls(text, findTool);
    return calls === undefined ? { problem: CANNOT_BE_READ } : { calls };
  }
  const bare = bareCalls(withoutFence(text.trim()));
  if (bare !== undefined) return knownCalls(bare, findTool);
  if (isFragment(text)) return { problem: "the model's answer is only the rest of a tool call" };
  const mark = MARK.exec(text);
  const calls = mark === null ? undefined : markedCalls(text.slice(mark.index), findTool);
  if (calls !== undefined) return { calls };
  const isCall =
    mark !== null && /(?:^|\n)\s*$/u.test(text.slice(0, mark.index)) && ENDS_WITH_MARK.test(text);
  return isCall ? { problem: CANNOT_BE_READ } : undefined;
}

/** True for the beginning of a text that may turn out to be no answer, so that it is not shown yet. */
export function mayBeWrittenCall(text: string): boolean {
  const begin = text.trimStart().slice(0, 300);
  if (begin === "" || STARTS_WITH_MARK.test(begin)) return true;
  if (/^(?:```[\w-]{0,20}\s*)?[[{]/u.test(begin)) return true;
  if (/^[,}\]):"]/u.test(begin)) return text.length <= MAX_FRAGMENT_LENGTH;
  // The text before the first blank: a mark, a fence or the middle of a call may begin so.
  return /^(?:\S{0,200}|`{3}[\w-]{0,20}\s*|<invoke [^>]{0,20})$/u.test(begin);
}

/** The content of a code fence that is the whole text; the text itself if it is none. */
function withoutFence(text: string): string {
  const begin = text.indexOf("\n");
  const isFenced = begin > 0 && begin < 30 && text.startsWith("```") && text.endsWith("```");
  return isFenced ? text.slice(begin, -3).trim() : text;
}

/** A text by its JSON objects, each with the text before it; undefined if a brace has no other one or holds something else. */
function splitAtObjects(text: string):
  | {
      readonly objects: { before: string; json: string; value: Readonly<Record<string, unknown>> }[];
      readonly rest: string;
    }
  | undefined {
  const objects = [];
  let end = 0;
  for (const json of objectsIn(text)) {
    const value = json === undefined ? undefined : parseJson(json);
    if (json === undefined || !isObject(value)) return undefined;
    const start = text.indexOf(json, end);
    objects.push({ before: text.slice(end, start), json, value });
    end = start + json.length;
  }
  return { objects, rest: text.slice(end) };
}

/** The calls in a text of a template's marks and JSON; undefined if it holds anything else. */
function markedCalls(text: string, findTool: FindTool): WrittenCall[] | undefined {
  const { objects = [], rest = "" } = splitAtObjects(text) ?? {};
  if (objects.length === 0 || !isLabel(rest)) return undefined;
  const calls = objects.map(({ before, json, value }) => {
    const call = jsonCall(value) ?? { written: before.replaceAll(NAMING_TAG, " $1 "), args: json };
    const name = isLabel(before) ? findTool(call.written) : undefined;
    return name === undefined ? undefined : { name, args: call.args };
  });
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

/** Marks, a name, the word before a fence: nothing that a reader could miss. */
function isLabel(text: string): boolean {
  const words = text.replaceAll(/<[^<>]{0,80}>|\[[A-Z_]{1,20}\]|[`[\],;\s]+/gu, " ").trim();
  return words === "" || words.split(" ").length <= 4;
}

interface NamedCall {
  readonly written: string;
  readonly args: string;
  /** True if it can be nothing else, whatever its name. */
  readonly isCall?: boolean;
}

/** The call that a JSON object is; undefined if it is none. */
function jsonCall(value: Readonly<Record<string, unknown>>): NamedCall | undefined {
  const inner = isObject(value["function"]) ? value["function"] : value;
  const { name: named, arguments: given, parameters, args: short, tool_input: input } = inner;
  const name = [named, inner["tool"], inner["tool_name"], inner["function"]].find(
    (one) => typeof one === "string",
  );
  const args = given ?? parameters ?? short ?? input;
  if (name === undefined || !Object.keys(inner).every((key) => CALL_KEYS.has(key))) return undefined;
  const text =
    typeof args === "string" ? wholeArguments(args) : isObject(args) ? JSON.stringify(args) : undefined;
  return text === undefined
    ? undefined
    : { written: name, args: text, isCall: named !== undefined && given !== undefined };
}

/** The calls of a text that is only JSON: one call, several in a row, or a list of them; undefined for any other text. */
function bareCalls(text: string): NamedCall[] | undefined {
  if (!/^[[{]/u.test(text) || !/[\]}]$/u.test(text)) return undefined;
  const value = parseJson(text);
  const list = isObject(value) && Array.isArray(value["tool_calls"]) ? value["tool_calls"] : value;
  const values: unknown[] = Array.isArray(list) ? list : value === undefined ? rowOf(text) : [value];
  const calls = values.map((item) => (isObject(item) ? jsonCall(item) : undefined));
  const known = calls.filter((call) => call !== undefined);
  return known.length > 0 && known.length === calls.length ? known : undefined;
}

/** The JSON objects of a text that holds nothing else. */
function rowOf(text: string): unknown[] {
  const { objects = [] } = splitAtObjects(text) ?? {};
  return objects.every(({ before }) => before.trim() === "") ? objects.map(({ value }) => value) : [];
}

/** Calls written as bare JSON; an object with a name and parameters is a call only with the name of an offered tool. */
function knownCalls(calls: readonly NamedCall[], findTool: FindTool): WrittenText {
  const known = calls.flatMap(({ written, args }) => {
    const name = findTool(written);
    return name === undefined ? [] : [{ name, args }];
  });
  if (known.length === 0 && !calls.every(({ isCall }) => isCall === true)) return undefined;
  return known.length === calls.length ? { calls: known } : { problem: CANNOT_BE_READ };
}

/** The rest of a call whose begin was lost: more closing brackets than opening ones and hardly a word. */
function isFragment(text: string): boolean {
  const rest = text.trim();
  if (rest.length > MAX_FRAGMENT_LENGTH || !/[}\])][;,]?$/u.test(rest)) return false;
  const count = (signs: RegExp) => rest.match(signs)?.length ?? 0;
  const words = rest.split(/\s+/u).filter((word) => /^\p{L}{2,}[.,;:]?$/u.test(word)).length;
  const isUnopened = count(/[}\]]/gu) > count(/[{[]/gu);
  return isUnopened && words <= 2 && (/^[,}\]):"]/u.test(rest) || /["'}]\s*[}\])]$/u.test(rest));
}
