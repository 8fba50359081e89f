import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { expect } from "chai";
import { marked, type Token } from "marked";
import { projectRoot } from "../../launcher/prepare.mjs";

/** Every page of the repository; the golden files of prompts are no pages. */
const PAGES = globSync(["*.md", ".github/**/*.md", "{deploy,docs,examples,lab}/**/*.md"], {
  cwd: projectRoot,
  // Benchmarks install packages of their own.
  exclude: ["**/node_modules/**"],
});

interface Page {
  readonly links: readonly string[];
  /** What the page's headings are reached by. */
  readonly anchors: ReadonlySet<string>;
}

const read = new Map<string, Promise<Page>>();

/** A page, by its path from the root. */
async function readPage(path: string): Promise<Page> {
  const known = read.get(path) ?? parsePage(path);
  read.set(path, known);
  return known;
}

async function parsePage(path: string): Promise<Page> {
  const links: string[] = [];
  const anchors = new Set<string>();
  const visit = (token: Token): void => {
    const isLink = token.type === "link" || token.type === "image";
    if (isLink && "href" in token) links.push(String(token["href"]));
    if (token.type === "heading" && "text" in token) anchors.add(anchorOf(String(token["text"])));
  };
  const tokens = marked.lexer(await readFile(join(projectRoot, path), "utf8"));
  // It waits for nothing: `visit` returns no promise.
  void marked.walkTokens(tokens, visit);
  return { links, anchors };
}

/** As GitHub names a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

/** What is wrong with a link of a page; undefined if nothing is. */
async function problemOf(page: string, link: string): Promise<string | undefined> {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : relative(projectRoot, join(projectRoot, dirname(page), path));
  if (!existsSync(join(projectRoot, target))) return `${page}: ${link} leads to no file`;
  if (anchor === undefined || !target.endsWith(".md")) return undefined;
  const { anchors } = await readPage(target);
  return anchors.has(anchor) ? undefined : `${page}: ${link} leads to no heading of ${target}`;
}

/** The pages and files that a page links, by their paths from the root. */
async function linkedFrom(page: string): Promise<readonly string[]> {
  const { links } = await readPage(page);
  return links.map((link) => join(dirname(page), link.split("#")[0] ?? ""));
}

describe("the pages of the repository", () => {
  it("have no relative link that leads nowhere", async () => {
    const problems = await Promise.all(
      PAGES.map(async (page) => {
        const { links } = await readPage(page);
        const ours = links.filter((link) => !/^[a-z]+:/u.test(link));
        return Promise.all(ours.map(async (link) => problemOf(page, link)));
      }),
    );
    expect(problems.flat().filter((problem) => problem !== undefined)).to.deep.equal([]);
  });

  for (const folder of ["docs", "docs/decisions"]) {
    it(`are all in the index of ${folder}`, async () => {
      const linked = await linkedFrom(`${folder}/README.md`);
      const pages = globSync(`${folder}/*.md`, { cwd: projectRoot }).filter(
        (page) => !page.endsWith("/README.md"),
      );
      expect(pages.filter((page) => !linked.includes(page))).to.deep.equal([]);
    });
  }

  it("are reached from README, CONTRIBUTING and the index of docs", async () => {
    const linked = await linkedFrom("README.md");
    expect(linked).to.include.members(["docs/README.md", "CONTRIBUTING.md", "SECURITY.md"]);
  });
});
