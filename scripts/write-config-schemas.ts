import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { editorSchema } from "#shared/agent-config/schemas/editor-schema.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { scriptEditorSchema } from "#shared/agent-config/scripts/script-editor-schema.ts";
import { StubToolsFile } from "#shared/agent-config/stub-tools/stub-tools-file.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import { formatJson } from "./format-json.ts";

/** Writes the JSON Schemas of the files of a configuration directory to deploy/config, or to DIR with `npm run schemas -- DIR`. */
const CONFIG_DIRECTORY = join(import.meta.dirname, "../deploy/config");
const directory = process.argv[2] ?? CONFIG_DIRECTORY;

const schemas = {
  "tarsy.schema.json": editorSchema(TarsyFile, {
    title: "TARSy: tarsy.yaml",
    description: "Chains, agents and MCP servers of TARSy; see docs/configuration.md.",
  }),
  "llm-providers.schema.json": editorSchema(LlmProvidersFile, {
    title: "TARSy: llm-providers.yaml",
    description: "The LLM providers of agents, by name; see docs/configuration.md.",
  }),
  "stub-tools.schema.json": editorSchema(StubToolsFile, {
    title: "TARSy: stub-tools.yaml",
    description: "Tools in place of those of MCP servers; see docs/stub-tools.md.",
  }),
  "script.schema.json": scriptEditorSchema(),
};

for (const [name, schema] of Object.entries(schemas)) {
  await writeFile(join(directory, name), await formatJson(JSON.stringify(schema, null, 2)));
}
