import { mapTexts, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { renderTemplate } from "#shared/contracts/text-template.ts";
import { TerminalError } from "#shared/errors.ts";
import { variableCode } from "#shared/contracts/prompt-marks.ts";
import type { SessionNonce } from "./untrusted-text.ts";

/** Looks up an environment variable of this process or of `<config-dir>/.env`. */
export type ReadVariable = (name: string) => string | undefined;

/**
 * Renders the templates of a stored chain with a placeholder for each variable. Prompts are stored with placeholders:
 * only the request to the model has the values.
 */
export function placeVariables(chain: ResolvedChain, nonce: SessionNonce): ResolvedChain {
  if (chain.variables === undefined) return chain;
  const code = variableCode(nonce);
  return mapTexts(chain, (text) => renderTemplate(text, (name) => `{{.${name}:${code}}}`));
}

/**
 * Inserts the variables into a text that is sent to the model. Throws TerminalError `missing_variable` for one that is not set
 * here.
 */
export function insertVariables(text: string, nonce: SessionNonce, read: ReadVariable): string {
  if (!text.includes("{{.")) return text;
  return text.replaceAll(placeholders(nonce), (...match: unknown[]) => {
    const name = String(match[1]);
    const value = read(name);
    if (value !== undefined && value !== "") return value;
    throw new TerminalError(
      "missing_variable",
      `the agent's instructions insert the environment variable ${name}, which is not set for the executor`,
    );
  });
}

function placeholders(nonce: string): RegExp {
  return new RegExp(String.raw`\{\{\.(\w+):${variableCode(nonce)}\}\}`, "gu");
}
