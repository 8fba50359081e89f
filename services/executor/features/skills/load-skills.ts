import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { skillText } from "../../prompts/skill-sections.ts";
import { oneLine } from "../../prompts/untrusted-text.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";

/** More than two of the largest skills. */
const MAX_CHARS = 160_000;
const MAX_NAME_CHARS = 64;
const MAX_NAMES = 50;

/**
 * Answers a call of `load_skill`: the texts of the named skills, then which names are not known, with the available ones. It is
 * an error if none is known. The text is the operator's: it is not framed as data, and names that the model wrote are on one line.
 */
export async function loadSkills(
  db: Queryable,
  catalog: NonNullable<ResolvedAgent["skills"]>,
  parameters: Readonly<Record<string, unknown>>,
): Promise<ToolOutcome> {
  const names = namesOf(parameters["names"]);
  const available = `available skills: ${catalog.map(({ name }) => name).join(", ")}`;
  if (names.length === 0) return failure(`The argument "names" is missing: a list of names; ${available}.`);
  if (names.length > MAX_NAMES) return failure(`At most ${MAX_NAMES} names are allowed; ${available}.`);
  const found = catalog.filter(({ name }) => names.includes(name));
  const unknown = names.filter((name) => !found.some((skill) => skill.name === name));
  const shown = unknown
    .map((name) => `"${oneLine(name.slice(0, MAX_NAME_CHARS).toWellFormed())}"`)
    .join(", ");
  const remark = `Unknown: ${shown}; ${available}.`;
  if (found.length === 0) return failure(remark);
  const texts = await loadTexts(db, [...new Set(found.map(({ hash }) => hash))]);
  const parts = found.map(({ name, hash }) => skillText({ name, body: texts.get(hash) ?? "" }));
  const content = [...parts, ...(unknown.length === 0 ? [] : [remark])].join("\n\n");
  if (content.length > MAX_CHARS) {
    return failure(
      `These skills have ${content.length} characters together; a call may load ${MAX_CHARS}: load fewer at a time.`,
    );
  }
  return { kind: "result", content, isError: false, isOwnText: true };
}

/** A ReAct agent may write a list as text, with commas between the names. */
function namesOf(written: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(written)
    ? written
    : typeof written === "string"
      ? written.replace(/^\s*\[|\]\s*$/gu, "").split(",")
      : [];
  const names = list.filter((name) => typeof name === "string");
  const bare = names.map((name) => name.trim().replace(/^(["'])(.*)\1$/u, "$2"));
  return [...new Set(bare)].filter((name) => name !== "");
}

function failure(content: string): ToolOutcome {
  return { kind: "result", content, isError: true, isOwnText: true };
}

const LOAD = "SELECT hash, body FROM texts WHERE hash = ANY($1::text[])";
const parseText = compileParser("stored text", Type.Object({ hash: Type.String(), body: Type.String() }));

/** Reads texts by their hashes. Throws TerminalError `not_found` if one is missing. */
export async function loadTexts(
  db: Queryable,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await selectRows(db, parseText, LOAD, [hashes]);
  const texts = new Map(rows.map(({ hash, body }) => [hash, body]));
  const missing = hashes.find((hash) => !texts.has(hash));
  if (missing !== undefined) throw new TerminalError("not_found", `there is no text ${missing}`);
  return texts;
}
