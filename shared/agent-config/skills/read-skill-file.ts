import { LineCounter, parseDocument } from "yaml";
import type { Skill } from "#shared/agent-config/skills/skill.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/** The problem of a file, and in which line, from 1. */
interface SkillProblem {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** A skill with the line of its name, or what is wrong with its file. */
type SkillFile =
  | { readonly skill: Skill; readonly nameLine: number }
  | { readonly problems: readonly SkillProblem[] };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;
const MAX_DESCRIPTION = 1_024;
const FENCE = /^---[ \t]*$/u;

/** True if a file begins with front matter in YAML, closed by a second line `---`, after empty lines. */
export function hasFrontMatter(source: string): boolean {
  return /^\uFEFF?\s*---[ \t]*\r?\n(?:[^]*\n)?---[ \t]*(?:\r?\n|$)/u.test(source);
}

/**
 * Reads the text of a skill's file: front matter in YAML between two lines `---`, with `name` and `description`, then the body
 * in Markdown. Other keys of the front matter are ignored: skills that were written for other programs have some.
 */
export function readSkillFile(source: string): SkillFile {
  const text = source.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  if (!FENCE.test(lines[start] ?? "")) {
    return at(1, "needs front matter with name and description: begin the file with a line of three hyphens");
  }
  const end = lines.findIndex((line, index) => index > start && FENCE.test(line));
  if (end === -1) return at(1, "has front matter without an end: close it with a line of three hyphens");
  // The empty lines keep the parser's line numbers those of the file.
  const lineCounter = new LineCounter();
  const yaml = [...lines.slice(0, start), "", ...lines.slice(start + 1, end)].join("\n");
  const document = parseDocument(yaml, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const message = `invalid YAML syntax: ${error.message}`;
    return { problems: [{ line, column: col, path: "", message }] };
  }
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return at(2, "must have front matter that is a mapping with name and description");
  }
  const lineOf = (key: string) => {
    const found = lines.findIndex(
      (line, index) => index > start && index < end && line.startsWith(`${key}:`),
    );
    return found === -1 ? 1 : found + 1;
  };
  const name: unknown = Reflect.get(value, "name");
  const description: unknown = Reflect.get(value, "description");
  const body = postgresSafeText(
    lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  ).text;
  const problems = [
    ...nameProblem(name).map((message) => ({ line: lineOf("name"), column: 1, path: "name", message })),
    ...descriptionProblem(description).map((message) => ({
      line: lineOf("description"),
      column: 1,
      path: "description",
      message,
    })),
    ...(body === ""
      ? [{ line: end + 1, column: 1, path: "", message: "has no text after its front matter" }]
      : []),
  ];
  if (problems.length > 0 || typeof name !== "string" || typeof description !== "string") return { problems };
  const oneLine = postgresSafeText(description.replaceAll(/\s+/gu, " ").trim()).text;
  return {
    skill: { name, description: oneLine, body, hash: textHash(body) },
    nameLine: lineOf("name"),
  };
}

function at(line: number, message: string): SkillFile {
  return { problems: [{ line, column: 1, path: "", message }] };
}

function nameProblem(name: unknown): string[] {
  if (name === undefined || name === null || name === "") return ["is missing: a skill needs a name"];
  if (typeof name === "string" && NAME.test(name)) return [];
  return [
    "must be text of at most 64 letters, digits, dots, hyphens and underscores that begins with a letter or a digit",
  ];
}

function descriptionProblem(description: unknown): string[] {
  if (description === undefined || description === null) {
    return ["is missing: a model decides by it whether to load the skill"];
  }
  if (typeof description !== "string" || description.trim() === "") return ["must be text"];
  if (description.length <= MAX_DESCRIPTION) return [];
  return [`has ${description.length} characters; at most ${MAX_DESCRIPTION} are allowed`];
}
