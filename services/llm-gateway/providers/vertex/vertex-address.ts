import { terminal } from "../../errors/llm-error.ts";
import { baseUrl } from "../base-url.ts";
import { vertexUrl } from "./vertex-url.ts";
import type { ProviderConfig } from "../provider-config.ts";

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
export function vertexAddress({ project, location, baseUrl: configured }: ProviderConfig): VertexAddress {
  const region = location === "" ? DEFAULT_LOCATION : location;
  if (!/^[\w.:-]+$/u.test(project)) {
    throw terminal(
      "invalid_request",
      project === ""
        ? "the provider has no project: Vertex AI needs a Google Cloud project, in the variable that project_env names"
        : "the provider's project is no project: it may hold letters, digits, dots, colons and hyphens",
    );
  }
  if (!/^[a-z][a-z\d-]*$/u.test(region)) {
    throw terminal(
      "invalid_request",
      "the provider's location is no location: it must be one like us-east5, eu or global",
    );
  }
  return { url: baseUrl(configured, vertexUrl(region)), project, location: region };
}
