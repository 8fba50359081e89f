import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { baseUrl } from "../base-url.ts";
import { terminal } from "../../errors/llm-error.ts";

/** Where a model of Vertex AI is. */
export interface VertexAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly project: string;
  readonly location: string;
}

/** Serves every region, with the most room. */
const DEFAULT_LOCATION = "global";

/**
 * Reads the address from a call's settings. Throws TerminalError `invalid_request` without a project, or for a
 * location or project that cannot be one: both become part of the address.
 */
export function vertexAddress({ project, location, baseUrl: configured }: LLMConfig): VertexAddress {
  const place = location === "" ? DEFAULT_LOCATION : location;
  if (!/^[\w.:-]+$/u.test(project)) {
    throw terminal(
      "invalid_request",
      project === ""
        ? "llm_config.project is empty: Vertex AI needs a Google Cloud project, named by project_env"
        : "llm_config.project is no project: it may hold letters, digits, dots, colons and hyphens",
    );
  }
  if (!/^[a-z][a-z\d-]*$/u.test(place)) {
    throw terminal(
      "invalid_request",
      "llm_config.location is no location: it must be one like us-east5, eu or global",
    );
  }
  return { url: baseUrl(configured, vertexUrl(place)), project, location: place };
}

function vertexUrl(location: string): string {
  switch (location) {
    case "global":
      return "https://aiplatform.googleapis.com";
    case "us":
    case "eu":
      return `https://aiplatform.${location}.rep.googleapis.com`;
    default:
      return `https://${location}-aiplatform.googleapis.com`;
  }
}
