import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Static } from "typebox";
import { AgentConfigError, formatProblem } from "#shared/agent-config/config-problem.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/built-in-server.ts";
import { MAX_LISTING_BYTES } from "#shared/contracts/tool-list.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { Tool, ToolCatalogue } from "../tool.ts";
import { describeEffect } from "./apply-tool-rules.ts";
import { compileArguments } from "./check-arguments.ts";
import { stubTool } from "./stub-tool.ts";
import { STUB_ACTIONS, StubToolsFile, type StubTool } from "./stub-tools-file.ts";

const FILE = "stub-tools.yaml";
const ANY_ARGUMENTS = '{"type":"object"}';
const NAME = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * Reads the tools of `<configDir>/stub-tools.yaml`; without the file there are none. Throws AgentConfigError listing every
 * mistake with its position; `warnings` has one line per possible mistake.
 */
export async function loadStubTools(
  configDir: string,
  env: Environment,
): Promise<{ tools: ToolCatalogue; warnings: readonly string[] }> {
  if (!(await exists(join(configDir, FILE)))) return { tools: new Map(), warnings: [] };
  const reporter = new Reporter(env);
  const checked = await readCheckedFile(configDir, FILE, StubToolsFile, reporter, env);
  if (checked?.valid !== true) throw new AgentConfigError(reporter.errors(), reporter.warnings());
  const tools = catalogue(configDir, checked.value, reporter);
  const errors = reporter.errors();
  if (errors.length > 0) throw new AgentConfigError(errors, reporter.warnings());
  return { tools, warnings: reporter.warnings().map(formatProblem) };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    // Other errors are reported when the file is read.
    (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
  );
}

function catalogue(
  configDir: string,
  { servers = {}, call_log }: Static<typeof StubToolsFile>,
  reporter: Reporter,
): ToolCatalogue {
  const tools = new Map<string, Tool>();
  const callLog = call_log === undefined ? undefined : resolve(configDir, call_log);
  for (const [server, entries] of Object.entries(servers)) {
    if (server === BUILT_IN_SERVER) {
      reporter.error({ container: servers, key: server }, "is reserved for the built-in tools");
    }
    if (!NAME.test(server)) reportInvalidName({ container: servers, key: server }, reporter);
    for (const [name, entry] of Object.entries(entries)) {
      if (!NAME.test(name)) reportInvalidName({ container: entries, key: name }, reporter);
      const tool = readTool({ server, name, entry, callLog }, reporter);
      if (tool !== undefined) tools.set(tool.description.name, tool);
    }
  }
  const size = Buffer.byteLength(JSON.stringify([...tools.values()].map(({ description }) => description)));
  if (size > MAX_LISTING_BYTES) {
    reporter.error(
      { container: servers },
      `must describe its tools in at most ${MAX_LISTING_BYTES} bytes of JSON altogether: they take ${size}`,
    );
  }
  return tools;
}

function reportInvalidName(target: { container: object; key: string }, reporter: Reporter): void {
  reporter.error(target, "must be named with 1 to 64 letters, digits, hyphens and underscores");
}

interface ToolEntry {
  readonly server: string;
  readonly name: string;
  readonly entry: StubTool;
  readonly callLog: string | undefined;
}

function readTool({ server, name, entry, callLog }: ToolEntry, reporter: Reporter): Tool | undefined {
  const { description = "", read_only = false, effect, approve = false, parameters, results = [] } = entry;
  if (read_only && effect !== undefined && effect !== "read") {
    reporter.error({ container: entry, key: "effect" }, "must be read for a tool that is read_only");
  }
  for (const result of results) {
    const found = STUB_ACTIONS.filter((action) => Object.hasOwn(result, action));
    if (found.length > 1) {
      reporter.error(
        { container: result },
        `must have at most one of ${STUB_ACTIONS.join(", ")}: it has ${found.join(" and ")}`,
      );
    }
  }
  try {
    return stubTool({
      description: {
        name: `${server}.${name}`,
        server,
        description,
        parameters_schema: parameters ?? ANY_ARGUMENTS,
        ...describeEffect(effect ?? (read_only ? "read" : undefined)),
        ...(approve ? { needs_approval: true } : {}),
      },
      checkArguments: parameters === undefined ? undefined : compileArguments(parameters),
      results,
      callLog,
    });
  } catch {
    reporter.error(
      { container: entry, key: "parameters" },
      "must be a JSON Schema of draft 7 as JSON text, with type object",
    );
    return undefined;
  }
}
