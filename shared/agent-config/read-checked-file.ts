import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { isScalar, parseDocument, visit, type Document, type YAMLError, type YAMLWarning } from "yaml";
import { checkShape, type CheckedShape } from "#shared/agent-config/check-shape.ts";
import { expandTemplates, type ExpandedText } from "#shared/agent-config/expand-templates.ts";
import { keepVariables, markedEnvironment } from "#shared/agent-config/keep-variables.ts";
import { ShapeReader } from "#shared/agent-config/read-shape.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import type { Environment } from "#shared/service/environment.ts";
import { errorMessage } from "#shared/errors.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { nearestName } from "#shared/agent-config/suggest-name.ts";
import { isJsonObject } from "#shared/json-object.ts";

const NOT_FOUND = "configuration file not found";

/**
 * Reads a file, expands its templates, parses its YAML and checks it against the schema. Everything wrong is
 * reported; undefined if no mapping could be read from the file.
 */
export async function readCheckedFile<S extends TSchema>(
  configDir: string,
  name: string,
  schema: S,
  reporter: Reporter,
  env: Environment,
): Promise<CheckedShape<S> | undefined> {
  const file = join(configDir, name);
  const report = reporter.add.bind(reporter);
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const failure = describeFailure(error);
    const similar = failure === NOT_FOUND ? await similarFile(configDir, name) : undefined;
    const message = similar === undefined ? failure : `${failure}; did you mean ${similar}? rename it`;
    report({ severity: "error", file, line: 1, column: 1, path: "", message });
    return undefined;
  }
  const text = expandTemplates(file, source, env, report);
  const yaml = parseYaml(text, report);
  if (yaml === undefined) return undefined;
  const value = new ShapeReader(text, yaml, reporter).readFile(schema);
  const marked = source.includes("{{") ? readMarked(file, source, schema, env) : value;
  keepVariables(schema, value, marked, env);
  if (isJsonObject(value)) {
    return checkShape(schema, value, reporter);
  }
  const [start, end] = yaml.contents?.range ?? [0, 0];
  if (value !== undefined && !text.insertedAt(start, end).broken) {
    report({
      severity: "error",
      ...text.positionOf(start),
      path: "",
      message: "must be a mapping at the top",
    });
  }
  return undefined;
}

/** The file with the names of variables in place of their values; what is wrong with it has been reported. */
function readMarked(file: string, source: string, schema: TSchema, variables: Environment): unknown {
  const marks = markedEnvironment(variables);
  const ignore = () => undefined;
  const text = expandTemplates(file, source, marks, ignore, (env, name) => env[name] ?? "");
  const yaml = parseYaml(text, ignore);
  return yaml && new ShapeReader(text, yaml, new Reporter(marks)).readFile(schema);
}

function describeFailure(error: unknown): string {
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "ENOENT":
    case "ENOTDIR":
      return NOT_FOUND;
    case "EACCES":
    case "EPERM":
      return "cannot be read: permission denied";
    case "EISDIR":
      return "is a directory; it must be a YAML file";
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "is not UTF-8 text; it must be a YAML file";
    default:
      return `cannot be read: ${errorMessage(error)}`;
  }
}

/** Parses the YAML of an expanded file, or reports what is wrong with it and returns undefined. */
function parseYaml(
  text: ExpandedText,
  report: (problem: ConfigProblem) => void,
): Document.Parsed | undefined {
  // The shape reader reports duplicate keys: it knows their paths.
  const document = parseDocument(text.text, { merge: true, uniqueKeys: false, prettyErrors: false });
  for (const warning of document.warnings) {
    const position = text.positionOf(warning.pos[0]);
    const message = describeWarning(warning, text.insertedOnLine(position.line).variables);
    report({ severity: "warning", ...position, path: "", message });
  }
  if (document.errors.length === 0) return document;
  reportErrors(document, text, report);
  return undefined;
}

/** Reports the first error of each line: the parser's further ones on it follow from the first. */
function reportErrors(
  document: Document.Parsed,
  text: ExpandedText,
  report: (problem: ConfigProblem) => void,
): void {
  const lines = new Set<number>();
  for (const error of document.errors) {
    const [start] = error.pos;
    const opened = error.code === "MISSING_CHAR" ? openingQuote(document, start) : undefined;
    const position = text.positionOf(opened ?? start);
    const { variables, broken } = text.insertedOnLine(position.line);
    // An invalid template on the line has been reported and is the cause.
    if (broken || lines.has(position.line)) continue;
    lines.add(position.line);
    report({ severity: "error", ...position, path: "", message: describeError(error, variables) });
  }
}

/** The parser quotes the text around an error, which may be a secret where a variable was inserted. */
function describeError({ code, message }: YAMLError, variables: readonly string[]): string {
  if (code === "MULTIPLE_DOCS") return "holds more than one YAML document; merge them into one";
  if (variables.length === 0) return `invalid YAML syntax: ${message}`;
  return `invalid YAML syntax once ${variables.join(", ")} is inserted; quote the value or change it`;
}

/** The parser's words are left out, too, where they may contain a secret. */
function describeWarning({ code, message }: YAMLWarning, variables: readonly string[]): string {
  if (code !== "TAG_RESOLVE_FAILED") {
    return variables.length === 0
      ? `is unusual YAML: ${message}`
      : `is unusual YAML once ${variables.join(", ")} is inserted; quote the value or change it`;
  }
  const tag = variables.length === 0 ? ` ${message.slice(message.indexOf(": ") + 2)}` : "";
  return `has a YAML tag${tag} that means nothing here and is ignored; remove it, or quote the value if it belongs to the text`;
}

/** The start of the quoted text whose closing quote is missing: the parser names only the end of the file. */
function openingQuote(document: Document.Parsed, end: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_key, node) {
      const quoted = isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
      if (quoted && node.range && node.range[0] <= end && node.range[2] >= end) start = node.range[0];
    },
  });
  return start;
}

const YAML = /\.ya?ml$/iu;

/** The YAML file of a directory whose name was probably meant to be `name`, which is not there; undefined if there is none. */
export async function similarFile(directory: string, name: string): Promise<string | undefined> {
  const files = await readdir(directory).catch(() => []);
  const candidates = files.filter((file) => YAML.test(file) && file !== name);
  const stem = nearestName(
    name.replace(YAML, ""),
    candidates.map((file) => file.replace(YAML, "")),
  );
  return stem === undefined ? undefined : candidates.find((file) => file.replace(YAML, "") === stem);
}
