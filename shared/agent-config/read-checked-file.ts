import { join } from "node:path";
import type { TSchema } from "typebox";
import type { CheckedShape, ShapeChecker } from "#shared/agent-config/check-shape.ts";
import type { Environment } from "#shared/agent-config/config-environment.ts";
import { expandTemplates } from "#shared/agent-config/expand-templates.ts";
import { parseYaml } from "#shared/agent-config/parse-yaml.ts";
import { readConfigFile } from "#shared/agent-config/read-config-file.ts";
import { ShapeReader } from "#shared/agent-config/read-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";

/**
 * One file from bytes to a checked value: read, expand, parse, shape. Everything wrong is reported; undefined
 * if the file is of no use at all.
 */
export async function readCheckedFile<S extends TSchema>(
  configDir: string,
  name: string,
  schema: S,
  check: ShapeChecker<S>,
  reporter: Reporter,
  env: Environment,
): Promise<CheckedShape<S> | undefined> {
  const file = join(configDir, name);
  const report = reporter.report.add.bind(reporter.report);
  const source = await readConfigFile(file, report);
  if (source === undefined) return undefined;
  const text = expandTemplates(file, source, env, report);
  if (text === undefined) return undefined;
  const yaml = parseYaml(text, report);
  if (yaml === undefined) return undefined;
  const value = new ShapeReader(text, yaml, reporter).readFile(schema);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return check(value, reporter);
  const [start, end] = yaml.root?.range ?? [0, 0];
  if (!text.isBroken(start, end)) {
    report({ severity: "error", ...text.placeOf(start), path: "", message: "must be a mapping at the top" });
  }
  return undefined;
}
