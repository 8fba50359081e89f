import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { editorSchema } from "#shared/agent-config/schemas/editor-schema.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { scriptEditorSchema } from "#shared/agent-config/scripts/script-editor-schema.ts";
import { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import { StubToolsFile } from "#shared/agent-config/stub-tools/stub-tools-file.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import { formatText } from "./format-text.ts";
import { keyReference } from "./key-reference.ts";

/**
 * Writes the JSON Schemas of the files of a configuration directory to deploy/config, and the page with their keys to docs; all of them
 * to DIR with `node scripts/write-config-schemas.ts DIR`.
 */
const [, , given] = process.argv;
const schemaDirectory = given ?? join(import.meta.dirname, "../deploy/config");
const pageDirectory = given ?? join(import.meta.dirname, "../docs");

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
    description: "Tools in place of those of MCP servers; see docs/configuration.md.",
  }),
  "pack.schema.json": editorSchema(PackFile, {
    title: "TARSy: a pack",
    description: "A server for packs/NAME.yaml; see docs/packs.md.",
  }),
  "script.schema.json": scriptEditorSchema(),
};

for (const [name, schema] of Object.entries(schemas)) {
  await writeFile(join(schemaDirectory, name), await formatText(name, JSON.stringify(schema, null, 2)));
}

const page = keyReference({
  "tarsy.yaml": schemas["tarsy.schema.json"],
  "llm-providers.yaml": schemas["llm-providers.schema.json"],
  "stub-tools.yaml": schemas["stub-tools.schema.json"],
  "packs/NAME.yaml": schemas["pack.schema.json"],
  "Scripts of a scripted provider": schemas["script.schema.json"],
});
await writeFile(join(pageDirectory, "configuration-keys.md"), await formatText("page.md", page));
