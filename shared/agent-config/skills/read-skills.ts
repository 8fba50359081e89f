import { readFile, readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { hasFrontMatter, readSkillFile } from "#shared/agent-config/skills/read-skill-file.ts";
import {
  MAX_ALL_SKILLS_BYTES,
  MAX_SKILLS,
  MAX_SKILL_BYTES,
  type Skill,
} from "#shared/agent-config/skills/skill.ts";
import { errorMessage } from "#shared/errors.ts";

/** The skills by name, and whether all files could be read. */
interface ReadSkills {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly isComplete: boolean;
}

/**
 * Reads the skills of a configuration directory: `skills/<directory>/SKILL.md`, `skills/*.md`, and other files that have front matter,
 * such as the keys of a mounted ConfigMap. Of other files without front matter those with a suffix are ignored, and so are names
 * that begin with a dot; the others, and directories without the file, are warned of. Reports every mistake with its file and line.
 * Without a directory `skills` there are none.
 */
export async function readSkills(
  configDir: string,
  report: (problem: ConfigProblem) => void,
): Promise<ReadSkills> {
  const directory = join(configDir, "skills");
  const skills = new Map<string, Skill>();
  const files = new Map<string, string>();
  let isComplete = true;
  const fail = (file: string, message: string, place = { line: 1, column: 1, path: "" }) => {
    isComplete = false;
    report({ severity: "error", file, ...place, message });
  };
  const warn = (file: string, message: string) =>
    report({ severity: "warning", file, line: 1, column: 1, path: "", message });
  let names: string[];
  try {
    names = (await readdir(directory)).filter((name) => !name.startsWith(".")).toSorted();
  } catch (error) {
    if (isAbsent(error)) return { skills, isComplete };
    fail(directory, `cannot be read: ${errorMessage(error)}`);
    return { skills, isComplete };
  }
  let bytes = 0;
  for (const entry of names) {
    const path = join(directory, entry);
    const isDirectory = (await stat(path).catch(() => undefined))?.isDirectory() === true;
    const file = isDirectory ? join(path, "SKILL.md") : path;
    const isNamed = isDirectory || entry.endsWith(".md");
    const source = await readText(file);
    if (isDirectory && "isAbsent" in source) {
      warn(file, "is missing: the directory has no skill");
      continue;
    }
    if (!isNamed && !("text" in source && hasFrontMatter(source.text))) {
      if (extname(entry) === "") warn(file, "is not a skill: it has no front matter");
      continue;
    }
    if ("failure" in source) {
      fail(file, source.failure);
      continue;
    }
    const read = readSkillFile(source.text);
    if ("problems" in read) {
      for (const { message, ...place } of read.problems) fail(file, message, place);
      continue;
    }
    const { skill, nameLine } = read;
    const place = { line: nameLine, column: 1, path: "name" };
    const other = files.get(skill.name);
    if (other !== undefined) {
      fail(
        file,
        `must differ from other skills' names, found ${skill.name}; it is the name of ${other}`,
        place,
      );
      continue;
    }
    files.set(skill.name, file);
    skills.set(skill.name, skill);
    bytes += Buffer.byteLength(skill.body);
    if (skills.size === MAX_SKILLS + 1) {
      fail(file, `is one too many: at most ${MAX_SKILLS} skills are allowed`);
    }
    if (bytes > MAX_ALL_SKILLS_BYTES) {
      fail(file, `is too much: all skills together may have ${MAX_ALL_SKILLS_BYTES} bytes`);
      break;
    }
  }
  return { skills, isComplete };
}

/** The text of a file, or why there is none. */
type SkillSource = { readonly text: string } | { readonly failure: string; readonly isAbsent?: true };

async function readText(file: string): Promise<SkillSource> {
  try {
    const { size } = await stat(file);
    if (size > MAX_SKILL_BYTES) {
      return { failure: `has ${size} bytes; a skill may have ${MAX_SKILL_BYTES}: divide it into several` };
    }
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file)) };
  } catch (error) {
    if (isAbsent(error)) return { failure: "is missing", isAbsent: true };
    if (error instanceof TypeError) return { failure: "is not UTF-8 text" };
    return { failure: `cannot be read: ${errorMessage(error)}` };
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
