import { answers, callsTool, declareCases, isMalformed } from "./react-case.ts";

const JSON_INPUT = '{"namespace": "prod"}';
const MARKERS: readonly (readonly [string, (name: string) => string])[] = [
  ["bold with the colon inside", (name) => `**${name}:**`],
  ["bold with the colon outside", (name) => `**${name}**:`],
  ["bold without a space after it", (name) => `**${name}:** `],
  ["underscored", (name) => `__${name}:__`],
  ["italic", (name) => `*${name}:*`],
  ["italic with the colon outside", (name) => `_${name}_:`],
  ["bold italic", (name) => `***${name}:***`],
  ["code", (name) => `\`${name}:\``],
  ["code with the colon outside", (name) => `\`${name}\`:`],
  ["a first heading", (name) => `# ${name}:`],
  ["a third heading", (name) => `### ${name}:`],
  ["a sixth heading", (name) => `###### ${name}:`],
  ["a heading without a space", (name) => `##${name}:`],
  ["a bold heading", (name) => `## **${name}:**`],
  ["a bold heading with the colon outside", (name) => `## **${name}**:`],
  ["a bold bullet", (name) => `- **${name}:**`],
  ["a bold star bullet", (name) => `* **${name}**:`],
  ["a bold plus bullet", (name) => `+ **${name}:**`],
  ["a bold round bullet", (name) => `• **${name}:**`],
  ["a numbered item", (name) => `1. ${name}:`],
  ["a numbered item with a bracket", (name) => `2) ${name}:`],
  ["a bold numbered item", (name) => `3. **${name}:**`],
  ["indented", (name) => `   ${name}:`],
  ["indented by a tab", (name) => `\t${name}:`],
];

describe("parseReact, for markdown markers", () => {
  describe("reads a tool call with markers that are", () => {
    declareCases(
      MARKERS.map(([name, mark]) => [
        name,
        `${mark("Thought")} Look at it.\n${mark("Action")} k8s.get_pods\n${mark("Action Input")} ${JSON_INPUT}`,
        callsTool("k8s.get_pods", JSON_INPUT, "Look at it."),
      ]),
    );
  });

  describe("reads a final answer with markers that are", () => {
    declareCases(
      MARKERS.map(([name, mark]) => [
        name,
        `${mark("Thought")} Done\n${mark("Final Answer")} The disk is **full**.\n\n- delete logs`,
        answers("The disk is **full**.\n\n- delete logs", "Done"),
      ]),
    );
  });

  declareCases([
    [
      "reads headings without colons",
      "## Thought\nLook.\n\n## Action\nk8s.get_pods\n\n## Action Input\n{}",
      callsTool("k8s.get_pods", "{}", "Look."),
    ],
    ["reads a bold line without a colon", "**Final Answer**\n\nAll is well.", answers("All is well.")],
    ["reads a heading as final answer", "### Final Answer\n\n# Report\nfine", answers("# Report\nfine")],
    [
      "reads a whole bold line",
      "**Thought: look**\n**Action: k.a**\n**Action Input: {}**",
      callsTool("k.a", "{}", "look"),
    ],
    ["reads a whole bold final answer", "**Final Answer: all is well**", answers("all is well")],
    [
      "keeps bold words at the end of a half bold line",
      "**Final Answer: it is **full**",
      answers("it is **full**"),
    ],
    [
      "keeps bold text after a marker",
      "Thought: **look** here\nFinal Answer: **x** is **y**",
      answers("**x** is **y**", "**look** here"),
    ],
    ["removes bold around a name", "Action: **k.a**\nAction Input: {}", callsTool("k.a", "{}")],
    [
      "removes bold and backticks around a name",
      "**Action:** **`k.a`**\nAction Input: {}",
      callsTool("k.a", "{}"),
    ],
    ["removes a fence around a name", "Action:\n```\nk.a\n```\nAction Input: {}", callsTool("k.a", "{}")],
    ["recovers a bold upper-case action", "**ACTION:** `k.a`\n**Action Input:** {}", callsTool("k.a", "{}")],
    [
      "ends at a bold observation",
      "Action: k.a\nAction Input: {}\n**Observation:** 3 pods",
      callsTool("k.a", "{}"),
    ],
    [
      "ends at an observation heading",
      "Action: k.a\nAction Input: {}\n### Observation\n3 pods",
      callsTool("k.a", "{}"),
    ],
    ["does not read a longer word as a marker", "## Actions\nk.a\n## Action Input\n{}", isMalformed()],
    [
      "does not read a plain bullet as a marker",
      "Thought: plan\n- Action: restart it",
      isMalformed("plan\n- Action: restart it"),
    ],
    [
      "does not read a bold word as a marker",
      "Thought: The **Action** is clear\n**Actions:** none",
      isMalformed("The **Action** is clear\n**Actions:** none"),
    ],
    [
      "reads a bold marker after a sentence",
      "Thought: I have it. **Final Answer:** a leak\nin the pool",
      answers("a leak\nin the pool", "I have it."),
    ],
    [
      "reads a bold marker with the colon outside after a sentence",
      "Thought: I have it! **Final Answer**: a leak",
      answers("a leak", "I have it!"),
    ],
  ]);

  describe("removes fences around an input", () => {
    const input = (text: string) => `Action: k.a\nAction Input: ${text}`;
    declareCases([
      ["without a tag", input("\n```\n{}\n```"), callsTool("k.a", "{}")],
      ["with a tag", input("\n```json\n{}\n```"), callsTool("k.a", "{}")],
      ["that opens on the marker's line", input("```json\n{}\n```"), callsTool("k.a", "{}")],
      ["of tildes", input("~~~yaml\na: 1\n~~~"), callsTool("k.a", "a: 1")],
      ["of four backticks", input("````json\n{}\n````"), callsTool("k.a", "{}")],
      ["on one line", input("```json {} ```"), callsTool("k.a", "{}")],
      ["on one line without a tag", input("```{}```"), callsTool("k.a", "{}")],
      ["that share lines with it", input('```{"a": 1,\n"b": 2}```'), callsTool("k.a", '{"a": 1,\n"b": 2}')],
      ["of single backticks", input("`{}`"), callsTool("k.a", "{}")],
      ["that were cut off", input('```json\n{"a": 1}'), callsTool("k.a", '{"a": 1}')],
      ["and what follows them", input("```json\n{}\n```\nI wait for the result."), callsTool("k.a", "{}")],
      ["but not quotes of a command", input("`ls -l`"), callsTool("k.a", "`ls -l`")],
      ["but not a block inside of it", input("see:\n```\nx\n```"), callsTool("k.a", "see:\n```\nx\n```")],
      [
        "of the whole reply",
        "```\nThought: t\nAction: k.a\nAction Input: {}\n```",
        callsTool("k.a", "{}", "t"),
      ],
      [
        "of the whole call",
        "Thought: t\n```\nAction: k.a\nAction Input: {}\n```",
        callsTool("k.a", "{}", "t"),
      ],
      ["of a whole conclusion", "```markdown\nThought: t\nFinal Answer: F\n```", answers("F", "t")],
      [
        "but not a block that ends an answer",
        "Final Answer: run\n```sh\nls\n```",
        answers("run\n```sh\nls\n```"),
      ],
      [
        "but not a block that ends a thought",
        "Thought: see\n```\nx\n```\nFinal Answer: F",
        answers("F", "see\n```\nx\n```"),
      ],
    ]);
  });
});
