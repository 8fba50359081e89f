import { expect } from "chai";
import { DEFAULTS, failureOf, loadText } from "./config-fixture.ts";

const withPattern = (pattern: string) =>
  loadText(
    `${DEFAULTS}mcp_servers:\n  s:\n    transport: {type: stdio, command: run}\n    data_masking: {enabled: true, custom_patterns: [{pattern: ${JSON.stringify(pattern)}, replacement: x}]}\n`,
  );

describe("custom masking patterns", () => {
  for (const pattern of [
    "(?i)id=\\d",
    "(?im)^b$",
    "^\\p{Lu}$",
    String.raw`\"key\": \"[^\"]+\"}`,
    String.raw`account\-\d+`,
    String.raw`C:\\Apps`,
    "(?P<name>a)",
    "(?U)a",
    "\\Aa-z",
    "\\Qa.b\\E",
    "[[:alpha:]]",
  ]) {
    it(`may have all that RE2 has, as in Go: ${pattern}`, async () => {
      expect((await withPattern(pattern)).mcpServers.has("s")).to.equal(true);
    });
  }

  for (const pattern of ["(", "[a", "a{2,1}", "*", "a(?!b)", "(?<=a)b", "(a)\\1"]) {
    it(`must be regular expressions of RE2, without look-around and back-references: ${pattern}`, async () => {
      const error = await failureOf(withPattern(pattern));
      expect(error.message).to.include("custom_patterns[0].pattern: must be a regular expression of RE2");
    });
  }
});
