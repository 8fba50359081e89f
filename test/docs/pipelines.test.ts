import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { marked } from "marked";
import { parseDocument } from "yaml";
import { projectRoot } from "../../launcher/prepare.mjs";
import { COMMANDS } from "../../scripts/tarsy/commands.ts";

const CALL = /npm run tarsy -- (?<command>[a-z]+)(?<rest>.*)$/gmu;

/** The blocks of code of a page, by the name of their language. */
async function blocksOf(page: string, lang: string): Promise<readonly string[]> {
  return marked
    .lexer(await readFile(join(projectRoot, page), "utf8"))
    .flatMap((token) => (token.type === "code" && token["lang"] === lang ? [String(token["text"])] : []));
}

describe("the pages of docs", () => {
  it("have pipelines in valid YAML, for GitHub and for GitLab: docs/lab.md", async () => {
    const pipelines = (await blocksOf("docs/lab.md", "yaml")).filter((text) => text.includes("npm run"));
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

  it("name commands and options that there are", async () => {
    const pages = globSync("docs/*.md", { cwd: projectRoot });
    const blocks = await Promise.all(
      pages.flatMap((page) => ["yaml", "sh", "bash"].map((lang) => blocksOf(page, lang))),
    );
    const calls = [...blocks.flat().join("\n").matchAll(CALL)];
    expect(calls.length).to.be.at.least(20);
    for (const { groups, 0: line } of calls) {
      const command = COMMANDS.find(({ name }) => name === groups?.["command"]);
      expect(command, line).not.to.equal(undefined);
      const options = [...(groups?.["rest"] ?? "").matchAll(/ --([a-z-]+)/gu)].map(([, name]) => name);
      expect(Object.keys(command?.options ?? {}), line).to.include.members(options);
    }
  });
});
