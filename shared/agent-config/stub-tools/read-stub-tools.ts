import { access } from "node:fs/promises";
import { join } from "node:path";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { compileArguments } from "#shared/agent-config/stub-tools/check-arguments.ts";
import {
  STUB_ACTIONS,
  StubToolsFile,
  type StubTool,
} from "#shared/agent-config/stub-tools/stub-tools-file.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import type { Environment } from "#shared/service/environment.ts";

/** The file of a configuration directory with tools in place of those of MCP servers. */
export const STUB_TOOLS = "stub-tools.yaml";
const NAME = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * Reads `<configDir>/stub-tools.yaml` with the values of `env` inserted and checks it. Every mistake is reported; undefined
 * without the file, or if it cannot be used.
 */
export async function readStubTools(
  configDir: string,
  env: Environment,
  reporter: Reporter,
): Promise<StubToolsFile | undefined> {
  if (!(await exists(join(configDir, STUB_TOOLS)))) return undefined;
  const checked = await readCheckedFile(configDir, STUB_TOOLS, StubToolsFile, reporter, env);
  if (checked?.valid !== true) return undefined;
  const { servers = {} } = checked.value;
  for (const [server, tools] of Object.entries(servers)) {
    const target = { container: servers, key: server };
    if (server === BUILT_IN_SERVER) reporter.error(target, "is reserved for the built-in tools");
    if (!NAME.test(server)) reportInvalidName(target, reporter);
    for (const [name, tool] of Object.entries(tools)) {
      if (!NAME.test(name)) reportInvalidName({ container: tools, key: name }, reporter);
      checkTool(tool, reporter);
    }
  }
  return reporter.errors().length === 0 ? checked.value : undefined;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    // Other errors are reported when the file is read.
    (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
  );
}

function reportInvalidName(target: { container: object; key: string }, reporter: Reporter): void {
  reporter.error(target, "must be named with 1 to 64 letters, digits, hyphens and underscores");
}

function checkTool(tool: StubTool, reporter: Reporter): void {
  const { read_only = false, effect, parameters, results = [] } = tool;
  if (read_only && effect !== undefined && effect !== "read") {
    reporter.error({ container: tool, key: "effect" }, "must be read for a tool that is read_only");
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
    if (parameters !== undefined) compileArguments(parameters);
  } catch {
    reporter.error(
      { container: tool, key: "parameters" },
      "must be a JSON Schema of draft 7 as JSON text, with type object",
    );
  }
}

/**
 * The ids of the MCP servers whose place stub-tools.yaml takes. None if the file has mistakes: the tool-runner, which serves the
 * stubs, reports them and does not start.
 */
export async function stubbedServers(configDir: string, env: Environment): Promise<ReadonlySet<string>> {
  const { servers = {} } = (await readStubTools(configDir, env, new Reporter(env))) ?? {};
  return new Set(Object.keys(servers).filter((id) => Object.keys(servers[id] ?? {}).length > 0));
}
