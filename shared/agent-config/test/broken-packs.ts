import { brokenRows, type BrokenFile } from "./broken-file.ts";

const PACKS = String.raw`
settings without a pack            | settings             | needs | settings: §{ url: "x" }, transport: { type: stdio, command: x }
an unknown pack                    | pack                 | must be a known pack | pack: §prometeus
a transport beside a pack          | transport            | must not be set beside | pack: prometheus, transport: §{ type: stdio, command: x }
an unknown setting of a pack       | settings.uri         | is not a setting of the pack, which has url | pack: prometheus, settings: { uri: §"http://x" }
belief in a packed server          | trust_annotations    | may only be stricter than the pack | pack: prometheus, trust_annotations: §true
a pack without masking             | data_masking.enabled | may only be stricter than the pack | pack: prometheus, data_masking: { enabled: §false }
a destructive tool called harmless | tools.read_only[0]   | may only be stricter than the pack, found "*_silence"; there delete_silence is destructive | pack: alertmanager, tools: { read_only: [§"*_silence"] }
a tool that the pack denies        | tools.allow[0]       | the pack denies it | pack: kubernetes, tools: { allow: [§configuration_view] }
`;

/** Servers with a pack, with one mistake each. */
export const BROKEN_PACKS: readonly BrokenFile[] = [
  {
    name: "a server without transport and pack",
    tarsy: "mcp_servers:\n  §one: { isolation: shared }\n",
    errors: [["mcp_servers.one.transport", "is required without a pack"]],
  },
  ...brokenRows(PACKS, (text) => ({ tarsy: `mcp_servers:\n  one: { ${text} }\n` }), "mcp_servers.one."),
];
