import { AgentConfigError, formatProblem } from "#shared/agent-config/config-problem.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { compileArguments } from "#shared/agent-config/stub-tools/check-arguments.ts";
import { readStubTools } from "#shared/agent-config/stub-tools/read-stub-tools.ts";
import type { StubTool, StubToolsFile } from "#shared/agent-config/stub-tools/stub-tools-file.ts";
import { MAX_LISTING_BYTES } from "#shared/contracts/tool-list.ts";
import type { Environment } from "#shared/service/environment.ts";
import { resolve } from "node:path";
import type { Tool, ToolCatalogue } from "../tool.ts";
import { describeEffect } from "./apply-tool-rules.ts";
import { stubTool } from "./stub-tool.ts";

const ANY_ARGUMENTS = '{"type":"object"}';

/**
 * Reads the tools of `<configDir>/stub-tools.yaml`; without the file there are none. Throws AgentConfigError listing every
 * mistake with its position; `warnings` has one line per possible mistake.
 */
export async function loadStubTools(
  configDir: string,
  env: Environment,
): Promise<{ tools: ToolCatalogue; warnings: readonly string[] }> {
  const reporter = new Reporter(env);
  const file = await readStubTools(configDir, env, reporter);
  const tools = file === undefined ? new Map<string, Tool>() : catalogue(configDir, file, reporter);
  const errors = reporter.errors();
  if (errors.length > 0) throw new AgentConfigError(errors, reporter.warnings());
  return { tools, warnings: reporter.warnings().map(formatProblem) };
}

function catalogue(
  configDir: string,
  { servers = {}, call_log }: StubToolsFile,
  reporter: Reporter,
): ToolCatalogue {
  const tools = new Map<string, Tool>();
  const callLog = call_log === undefined ? undefined : resolve(configDir, call_log);
  for (const [server, entries] of Object.entries(servers)) {
    for (const [name, entry] of Object.entries(entries)) {
      const tool = openTool({ server, name, entry, callLog });
      tools.set(tool.description.name, tool);
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

interface ToolEntry {
  readonly server: string;
  readonly name: string;
  readonly entry: StubTool;
  readonly callLog: string | undefined;
}

function openTool({ server, name, entry, callLog }: ToolEntry): Tool {
  const { description = "", read_only = false, effect, approve = false, parameters, results = [] } = entry;
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
}
