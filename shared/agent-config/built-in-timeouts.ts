import { BUILT_IN_SETTINGS } from "#shared/agent-config/built-in-config.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";

/** The times that apply where a file sets none, in its notation, and where they come from. */
interface BuiltInTimeouts {
  readonly session_timeout: string;
  readonly iteration_timeout: string;
  /** Undefined for the usual ones. */
  readonly origin: string | undefined;
}

/** The built-in times for this `tarsy.yaml`: an `llm_backend` anywhere in its defaults, agents and chains makes them longer. */
export function builtInTimeouts({ defaults, agents, agent_chains }: Loose<TarsyFile>): BuiltInTimeouts {
  const { queue, defaults: usual, with_backends } = BUILT_IN_SETTINGS;
  return namesBackend([defaults, agents, agent_chains])
    ? { ...with_backends, origin: "built-in for files with llm_backend" }
    : {
        session_timeout: queue.session_timeout,
        iteration_timeout: usual.iteration_timeout,
        origin: undefined,
      };
}

function namesBackend(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, inner]) => (key === "llm_backend" && inner !== undefined) || namesBackend(inner),
  );
}
