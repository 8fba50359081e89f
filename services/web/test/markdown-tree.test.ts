import { expect } from "chai";
import { Marked } from "marked";
import { markdownTree as markdownTreeIn, type MarkdownNode } from "../parts/markdown-tree.ts";

/** With a clock that stands still: the limit of time is for texts that are made to stop the page. */
const markdownTree = (source: string) => markdownTreeIn(source, () => 0);

/** Everything that Markdown may become. */
const HARMLESS = new Set(
  "p br hr h4 h5 h6 ul ol li blockquote pre code strong em del a table thead tbody tr th td".split(" "),
);
const ATTRIBUTES = new Set(["href", "rel", "target", "title", "data-host", "align", "start"]);

/** The elements as HTML, without white space between them. */
function htmlOf(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return escaped(node);
      const attributes = Object.entries(node.attributes).map(
        ([name, value]) => ` ${name}="${escaped(value)}"`,
      );
      const open = `<${node.tag}${attributes.join("")}>`;
      return ["br", "hr"].includes(node.tag) ? open : `${open}${htmlOf(node.children)}</${node.tag}>`;
    })
    .join("");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function* allOf(nodes: readonly MarkdownNode[]): Generator<Exclude<MarkdownNode, string>> {
  for (const node of nodes) {
    if (typeof node === "string") continue;
    yield node;
    yield* allOf(node.children);
  }
}

const html = (source: string) => htmlOf(markdownTree(source));

describe("Markdown of models and tools", () => {
  it("has the structure that marked gives it", () => {
    const source = [
      "First *line*\nsecond **line** with `code <b>` and ~~no~~",
      "1. one\n2. two\n   - nested\n\n     loose\n3. three",
      "5. five\n6. six",
      "> quoted\n> > twice\n\n---",
      "```yaml\na: <b>\n```\n\n    indented",
      "| a | b | c |\n|:--|--:|---|\n| 1 | **2** | 3\\|4 |\n| x | | |",
      "Setext\n===\n\nhard  \nbreak and \\* escape",
    ].join("\n\n");
    const marked = new Marked({
      renderer: {
        heading({ tokens, depth }) {
          return `<h${Math.min(6, depth + 3)}>${this.parser.parseInline(tokens)}</h${Math.min(6, depth + 3)}>`;
        },
        code: ({ text }) => `<pre><code>${escaped(text)}\n</code></pre>`,
      },
    });
    const flat = (text: string) => text.replaceAll(/>\n+/gu, ">").replaceAll(/\n+</gu, "<");
    expect(flat(html(source))).to.equal(flat(marked.parse(source, { async: false })));
  });

  it("has headings without gaps, whatever level a text begins with", () => {
    const levels = (source: string) =>
      markdownTree(source).flatMap((node) => (typeof node === "string" ? [] : node.tag));
    expect(levels("## a\n\n#### b\n\n## c")).to.deep.equal(["h4", "h5", "h4"]);
    expect(levels("### a\n\n# b")).to.deep.equal(["h4", "h4"]);
  });

  it("shows HTML and images as they were written, inside of raw elements, too", () => {
    const source =
      "a <img src=x onerror=alert(1)> ![x](http://evil.example/a)\n\n<script>alert(2)</script>\n\n" +
      "b <pre>*c* <svg onload=alert(3)></pre> <a href=x>d</a>";
    const tags = [...allOf(markdownTree(source))].map(({ tag }) => tag);
    expect(new Set(tags)).to.deep.equal(new Set(["p", "em"]));
    for (const written of ["<img src=x onerror=alert(1)>", "![x](http://evil.example/a)", "<svg onload"]) {
      expect(html(source)).to.include(escaped(written));
    }
  });

  it("makes harmless elements and attributes only", () => {
    const source = [
      "- [x] done\n- [ ] open",
      '[t](https://a.example/b "title") <https://c.example> www.d.example e@f.example',
      "[r]: javascript:alert(1)\n\n[r] [s](javascript:alert(2)) [u](&#106;avascript:alert(3)) [v](data:text/html,x)",
      "[w](java\tscript:alert(4)) [x](vbscript:x) [y](//g.example) [z](file:///etc/passwd)",
      "<form><input id=page></form> <style>*{}</style>",
    ].join("\n\n");
    for (const { tag, attributes } of allOf(markdownTree(source))) {
      expect(HARMLESS, tag).to.include(tag);
      for (const [name, value] of Object.entries(attributes)) {
        expect(ATTRIBUTES, name).to.include(name);
        if (name === "href") expect(value).to.match(/^https?:\/\//u);
      }
    }
  });

  it("says where a link leads unless its text does", () => {
    expect(html("[safe.example](https://evil.example/login)")).to.include('data-host="evil.example"');
    expect(html("<https://evil.example/login>")).not.to.include("data-host");
    expect(html("[a](https://b.example/?c=1&amp;d=2)")).to.include('href="https://b.example/?c=1&amp;d=2"');
  });

  it("reads character references outside of code, and marks what they hide", () => {
    expect(markdownTree("a &lt;b&gt; &amp;amp; &#8594; &rarr; &unknown; `&lt;`")).to.deep.equal([
      {
        tag: "p",
        attributes: {},
        children: ["a <b> &amp; → → &unknown; ", { tag: "code", attributes: {}, children: ["&lt;"] }],
      },
    ]);
    expect(html("a&#x202E;b &#0; &#xD800; &#x110000;")).to.equal("<p>a&lt;U+202E&gt;b � � �</p>");
  });
});
