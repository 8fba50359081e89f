import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../../errors/llm-error.ts";
import { baseUrl } from "../base-url.ts";
import { vertexUrl } from "./vertex-url.ts";

/** The project and location of a model on Vertex AI. */
export interface VertexAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly project: string;
  readonly location: string;
}

/** Not bound to a region; has the most capacity. */
const DEFAULT_LOCATION = "global";

/**
 * Reads the address from a call's settings. Throws TerminalError `invalid_request` for a missing project, and for a
 * project or location with other characters than such a name has: both become part of the URL.
 */
export function vertexAddress({ project, location, baseUrl: configured }: LLMConfig): VertexAddress {
  const region = location === "" ? DEFAULT_LOCATION : location;
  if (!/^[\w.:-]+$/u.test(project)) {
    throw terminal(
      "invalid_request",
      project === ""
        ? "llm_config.project is empty: Vertex AI needs a Google Cloud project, named by project_env"
        : "llm_config.project is no project: it may hold letters, digits, dots, colons and hyphens",
    );
  }
  if (!/^[a-z][a-z\d-]*$/u.test(region)) {
    throw terminal(
      "invalid_request",
      "llm_config.location is no location: it must be one like us-east5, eu or global",
    );
  }
  return { url: baseUrl(configured, vertexUrl(region)), project, location: region };
}
