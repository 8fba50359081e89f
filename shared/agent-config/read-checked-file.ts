import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { checkShape, type CheckedShape } from "#shared/agent-config/check-shape.ts";
import { expandTemplates } from "#shared/agent-config/expand-templates.ts";
import { keepVariables, markedEnvironment } from "#shared/agent-config/keep-variables.ts";
import { parseYaml } from "#shared/agent-config/parse-yaml.ts";
import { ShapeReader } from "#shared/agent-config/read-shape.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { similarFile } from "#shared/agent-config/similar-file.ts";
import type { Environment } from "#shared/service/environment.ts";
import { errorMessage } from "#shared/errors.ts";

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
  keepVariables(schema, value, readMarked(file, source, schema, env), env);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
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
