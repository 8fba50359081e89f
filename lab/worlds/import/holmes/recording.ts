import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import { compactJson } from "#shared/worlds/world-hash.ts";
import { storable, type Clone } from "../source.ts";

/** A recorded tool result. */
export interface Recording {
  readonly server: string;
  readonly tool: string;
  /** The recorded arguments; undefined if it matches every call. */
  readonly params: JsonObject | undefined;
  /** Those that a call must have: null and "*" match anything. */
  readonly args: JsonObject;
  readonly text: string;
  readonly isError: boolean;
  /** The text is not the recorded one. */
  readonly isChanged: boolean;
}

/** A page of another owner, which is not under the suite's licence. */
const PAGES = "fetch_webpage";

const parseHead = compileParser(
  "recording",
  Type.Object({
    toolset_name: Type.String(),
    tool_name: Type.String(),
    match_params: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  }),
);
const parseResult = compileParser(
  "recording",
  Type.Object({
    status: Type.String(),
    error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
);

/** The recordings of a case in the order of their files: each once, without pages. */
export async function readRecordings(clone: Clone, directory: string) {
  const recordings: Recording[] = [];
  const seen = new Set<string>();
  let pages = 0;
  let repeated = 0;
  for (const file of (await readdir(directory)).toSorted()) {
    if (!file.endsWith(".txt")) continue;
    const recording = parseRecording(await clone.read(join(directory, file)));
    if (recording === undefined) continue;
    const { params, ...what } = recording;
    const key = compactJson({ ...what, isAny: params === undefined });
    if (recording.tool === PAGES) pages += 1;
    else if (seen.has(key)) repeated += 1;
    else recordings.push(recording);
    seen.add(key);
  }
  return { recordings, pages, repeated };
}

/** A line of JSON about the call, one about the result, then the text; undefined for another file. */
function parseRecording(content: string): Recording | undefined {
  const [first = "", second = "", ...lines] = content.split("\n");
  if (!first.startsWith('{"')) return undefined;
  const head = parseHead(JSON.parse(first));
  const { status, error } = parseResult(JSON.parse(second));
  const isError = status === "error";
  const { text, changed } = storable(textOf(lines.join("\n"), status, error ?? ""));
  const params = isJsonObject(head.match_params) ? head.match_params : undefined;
  const needed = Object.entries(params ?? {}).filter(([, value]) => value !== null && value !== "*");
  return {
    // The names of toolsets are paths.
    server: nameOf(head.toolset_name),
    tool: nameOf(head.tool_name),
    params,
    args: Object.fromEntries(needed),
    text,
    isError,
    isChanged: changed,
  };
}

/** A name that providers of models take. */
function nameOf(text: string): string {
  return text.replaceAll(/[^\w-]+/gu, "-");
}

function textOf(text: string, status: string, error: string): string {
  if (status === "no_data" && text === "") return "(no data)";
  // Most errors have the text at their end.
  if (status !== "error" || error.includes(text.trim())) return status === "error" ? error : text;
  return `${error}\n${text}`;
}
