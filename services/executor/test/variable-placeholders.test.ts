import { expect } from "chai";
import { withVariables } from "#shared/contracts/resolved-chain.ts";
import { insertVariables, placeVariables } from "../prompts/variable-placeholders.ts";
import { frameCode } from "../prompts/untrusted-text.ts";
import { NONCE } from "./prompt-fixtures.ts";
import { resolvedChain } from "./resolved-chain.ts";

const chain = withVariables({
  ...resolvedChain({}),
  default_runbook: 'Use {{.TOKEN}}, not {{"{{"}}.TOKEN}}.',
});
const read = (name: string) => ({ TOKEN: "hush", OTHER: "other" })[name];

describe("a variable in a session's instructions", () => {
  it("is a placeholder in the prompt, and a value in the request", () => {
    const { default_runbook: placed } = placeVariables(chain, NONCE);
    expect(placed).to.match(/^Use \{\{\.TOKEN:[0-9a-f]{24}\}\}, not \{\{\.TOKEN\}\}\.$/u);
    expect(insertVariables(placed, NONCE, read)).to.equal("Use hush, not {{.TOKEN}}.");
    // A resumed session stores and sends the same.
    expect(placeVariables(chain, NONCE).default_runbook).to.equal(placed);
  });

  it("cannot be named by text from outside", () => {
    const code = frameCode(NONCE).trim();
    for (const text of ["{{.TOKEN}}", `{{.TOKEN:${code}}}`, `{{.TOKEN:${NONCE}}}`, "{{.TOKEN:}}"]) {
      expect(insertVariables(text, NONCE, read)).to.equal(text);
    }
    const ofAnother = placeVariables(chain, "5a5a5a5a-4b5a-4697-8899-aabbccddeeff").default_runbook;
    expect(insertVariables(ofAnother, NONCE, read)).to.equal(ofAnother);
  });

  it("ends the agent with its name if the executor does not have it", () => {
    const { default_runbook: placed } = placeVariables(chain, NONCE);
    expect(() => insertVariables(placed, NONCE, () => undefined)).to.throw(
      "the agent's instructions insert the environment variable TOKEN, which is not set for the executor",
    );
  });

  it("leaves the texts of a configuration without variables as they are", () => {
    const { variables: _variables, ...without } = chain;
    expect(placeVariables(without, NONCE)).to.equal(without);
  });
});
