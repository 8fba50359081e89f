import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { marked } from "marked";
import { parseDocument } from "yaml";
import { projectRoot } from "../../launcher/prepare.mjs";
import { COMMANDS } from "../../scripts/tarsy/commands.ts";

const PAGE = join(projectRoot, "docs", "testing-your-agents.md");
const CALL = /npm run tarsy -- (?<command>[a-z]+)(?<rest>.*)$/gmu;

describe("docs/testing-your-agents.md", () => {
  const blocksOf = async (lang: string): Promise<readonly string[]> =>
    marked
      .lexer(await readFile(PAGE, "utf8"))
      .flatMap((token) => (token.type === "code" && token["lang"] === lang ? [String(token["text"])] : []));

  it("has pipelines in valid YAML, for GitHub and for GitLab", async () => {
    const pipelines = await blocksOf("yaml");
    expect(pipelines).to.have.length(2);
    for (const text of pipelines) {
      const document = parseDocument(text, { strict: true });
      expect(document.errors, text).to.deep.equal([]);
      expect(document.warnings, text).to.deep.equal([]);
    }
    const [github, gitlab] = pipelines.map((text) => JSON.stringify(parseDocument(text).toJS()));
    expect(github).to.include('"runs-on"').and.include("npm run tarsy -- replay ");
    expect(gitlab).to.include('"script":[').and.include("npm run tarsy -- replay ");
  });

  it("names commands and options that there are", async () => {
    const texts = [...(await blocksOf("yaml")), ...(await blocksOf("sh"))].join("\n");
    const calls = [...texts.matchAll(CALL)];
    expect(calls.length).to.be.at.least(6);
    for (const { groups, 0: line } of calls) {
      const command = COMMANDS.find(({ name }) => name === groups?.["command"]);
      expect(command, line).not.to.equal(undefined);
      const options = [...(groups?.["rest"] ?? "").matchAll(/ --([a-z-]+)/gu)].map(([, name]) => name);
      expect(Object.keys(command?.options ?? {}), line).to.include.members(options);
    }
  });
});
