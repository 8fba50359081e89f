import type { BrokenFile } from "./broken-file.ts";

const server = (name: string, text: string, path: string, says: string): BrokenFile => ({
  name,
  tarsy: `mcp_servers:\n  one: { ${text} }\n`,
  errors: [[`mcp_servers.one${path}`, says]],
});
const STRICTER = "may only be stricter than the pack";

/** Servers with a pack, with one mistake each. */
export const BROKEN_PACKS: readonly BrokenFile[] = [
  {
    name: "a server without transport and pack",
    tarsy: "mcp_servers:\n  §one: { isolation: shared }\n",
    errors: [["mcp_servers.one.transport", "is required without a pack"]],
  },
  server(
    "settings without a pack",
    'settings: §{ url: "x" }, transport: { type: stdio, command: x }',
    ".settings",
    "needs `pack`",
  ),
  server("an unknown pack", "pack: §prometeus", ".pack", "must be a known pack"),
  server(
    "a transport beside a pack",
    "pack: prometheus, transport: §{ type: stdio, command: x }",
    ".transport",
    "must not be set beside `pack`",
  ),
  server(
    "an unknown setting of a pack",
    'pack: prometheus, settings: { uri: §"http://x" }',
    ".settings.uri",
    "is not a setting of the pack, which has url",
  ),
  server(
    "belief in a packed server",
    "pack: prometheus, trust_annotations: §true",
    ".trust_annotations",
    STRICTER,
  ),
  server(
    "a pack without masking",
    "pack: prometheus, data_masking: { enabled: §false }",
    ".data_masking.enabled",
    STRICTER,
  ),
  server(
    "a destructive tool called harmless",
    'pack: alertmanager, tools: { read_only: [§"*_silence"] }',
    ".tools.read_only[0]",
    `${STRICTER}, found "*_silence"; there delete_silence is destructive`,
  ),
  server(
    "a tool that the pack denies",
    "pack: kubernetes, tools: { allow: [§configuration_view] }",
    ".tools.allow[0]",
    "the pack denies it",
  ),
];
