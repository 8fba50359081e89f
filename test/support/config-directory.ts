import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { SUMMARY_CALL } from "./scripts.ts";

export interface ConfigFiles {
  /** tarsy.yaml; by default one single-call agent for alert type `test`. */
  readonly tarsy?: object;
  /** llm-providers.yaml; by default the provider `scripted`, which replays `script.yaml`. */
  readonly providers?: object;
  /** The scripted provider's script. */
  readonly script?: object;
  /** stub-tools.yaml; none by default. */
  readonly stubTools?: object;
  /** Files of skills by their path below `skills`; none by default. */
  readonly skills?: Readonly<Record<string, string>>;
}

const TARSY = {
  queue: { worker_count: 5, max_concurrent_sessions: 5 },
  defaults: { llm_provider: "scripted", alert_type: "test" },
  agents: { TestAgent: { mcp_servers: [] } },
  agent_chains: {
    "test-chain": { alert_types: ["test"], stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }] },
    // Replaces the built-in chain, whose strategy and provider tests do not use.
    "kubernetes-agent-chain": {
      alert_types: ["kubernetes"],
      stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
    },
  },
};

const PROVIDERS = {
  llm_providers: { scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" } },
};

const SCRIPT = {
  calls: [SUMMARY_CALL, { steps: [{ thinking: "let me see" }, { text: "the disk is full" }] }],
};

/**
 * Writes a temporary configuration directory, which disposal removes. `tarsy` replaces the default per top-level key,
 * every other file as a whole.
 */
export async function testConfigDirectory(
  files: ConfigFiles = {},
): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "tarsy-config-"));
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "tarsy.yaml"), stringify({ ...TARSY, ...files.tarsy }));
  await writeFile(join(path, "llm-providers.yaml"), stringify(files.providers ?? PROVIDERS));
  await writeFile(join(path, "script.yaml"), stringify(files.script ?? SCRIPT));
  if (files.stubTools !== undefined) {
    await writeFile(join(path, "stub-tools.yaml"), stringify(files.stubTools));
  }
  for (const [file, text] of Object.entries(files.skills ?? {})) {
    await mkdir(dirname(join(path, "skills", file)), { recursive: true });
    await writeFile(join(path, "skills", file), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
