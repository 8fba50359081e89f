import { answers, parsedCall, callsUnknown, declareCases, isMalformed } from "./react-case.ts";

describe("parseReact, for what models write into sections", () => {
  describe("in inputs", () => {
    const input = (text: string) => `Action: k.a\nAction Input: ${text}`;
    declareCases([
      [
        "keeps pretty JSON",
        input('{\n  "a": [\n    1\n  ]\n}'),
        parsedCall("k.a", '{\n  "a": [\n    1\n  ]\n}'),
      ],
      ["keeps JSON on the next line", input('\n{"a": 1}'), parsedCall("k.a", '{"a": 1}')],
      [
        "keeps nested YAML",
        input("\nlabels:\n  app: web\n  tier:\n    - x"),
        parsedCall("k.a", "labels:\n  app: web\n  tier:\n    - x"),
      ],
      [
        "keeps spaces and tabs inside",
        input("a:\n\t- b  \n\n\n  c"),
        parsedCall("k.a", "a:\n\t- b  \n\n\n  c"),
      ],
      ["keeps the word None", input("None"), parsedCall("k.a", "None")],
      [
        "keeps Windows paths",
        input('{"path": "C:\\\\Users\\\\x"}'),
        parsedCall("k.a", '{"path": "C:\\\\Users\\\\x"}'),
      ],
      [
        "keeps markers in strings",
        input('{"text": "Thought: x Action: y Final Answer: z"}'),
        parsedCall("k.a", '{"text": "Thought: x Action: y Final Answer: z"}'),
      ],
      [
        "keeps a numbered list",
        input("steps\n1. Action: restart\n2. Final Answer: none"),
        parsedCall("k.a", "steps\n1. Action: restart\n2. Final Answer: none"),
      ],
      [
        "keeps a YAML key called Action",
        input("\nStatement:\n  Action: s3:GetObject\n  Effect: Allow"),
        parsedCall("k.a", "Statement:\n  Action: s3:GetObject\n  Effect: Allow"),
      ],
      [
        "keeps a YAML item called Action",
        input("\nStatement:\n- Action: s3:GetObject"),
        parsedCall("k.a", "Statement:\n- Action: s3:GetObject"),
      ],
      [
        "keeps queries",
        input('rate(http_requests_total{code=~"5.."}[5m]) > 0'),
        parsedCall("k.a", 'rate(http_requests_total{code=~"5.."}[5m]) > 0'),
      ],
      ["keeps text after it", input("{}\n\nI will wait."), parsedCall("k.a", "{}\n\nI will wait.")],
      [
        "lets the last of one action win",
        "Action: k.a\nAction Input: 1\nAction Input: 2",
        parsedCall("k.a", "2"),
      ],
      ["ignores a later empty one", "Action: k.a\nAction Input: 1\nAction Input:", parsedCall("k.a", "1")],
      ["ends at a thought", input("{}\nThought: next"), parsedCall("k.a", "{}", "next")],
      ["ends at a final answer, which does not count", input("{}\nFinal Answer: F"), parsedCall("k.a", "{}")],
      ["ends at an indented pair", input("{}\n  Action: k.b\n  Action Input: 2"), parsedCall("k.b", "2")],
    ]);
  });

  describe("in actions", () => {
    declareCases([
      [
        "reads hyphens and underscores",
        "Action: my-server.get_all-x\nAction Input: {}",
        parsedCall("my-server.get_all-x", "{}"),
      ],
      ["keeps a call's brackets", "Action: k.a()\nAction Input: {}", parsedCall("k.a()", "{}")],
      [
        "keeps an explanation",
        "Action: k.a (list the pods)\nAction Input: {}",
        parsedCall("k.a (list the pods)", "{}"),
      ],
      [
        "reads prose as an unknown tool",
        "Action: list the pods\nAction Input: {}",
        callsUnknown("list the pods", "{}"),
      ],
      ["reads None as an unknown tool", "Action: None\nAction Input: None", callsUnknown("None", "None")],
      ["skips blank lines before the input", "Action: k.a\n\n\nAction Input: {}", parsedCall("k.a", "{}")],
      ["recovers no sentence", "Thought: take action now\nAction Input: {}", isMalformed("take action now")],
      ["recovers no name with two dots", "ACTION: a.b.c\nAction Input: {}", isMalformed()],
      [
        "recovers the last name before the input",
        "ACTION: k.a\nACTION: k.b\nAction Input: {}",
        parsedCall("k.b", "{}"),
      ],
      ["recovers nothing after the input", "Action Input: {}\nACTION: k.a", isMalformed()],
      ["recovers nothing from an empty action", "Action:\nAction Input: {}", isMalformed()],
    ]);
  });

  describe("in final answers", () => {
    declareCases([
      [
        "keeps a report",
        "Final Answer:\n# Cause\n\n1. Disk full\n   - /var\n\n```sh\ndf -h\n```\n| a | b |\n|---|---|",
        answers("# Cause\n\n1. Disk full\n   - /var\n\n```sh\ndf -h\n```\n| a | b |\n|---|---|"),
      ],
      [
        "removes the indentation of its header",
        "  Thought: t\n  Final Answer: a\n  b\n    c",
        answers("a\nb\n  c", "t"),
      ],
      ["keeps an observation", "Final Answer: a\nObservation: b", answers("a\nObservation: b")],
      ["keeps a reference", "Final Answer: a\n[Based on the logs]", answers("a\n[Based on the logs]")],
      [
        "keeps recommended actions",
        "Final Answer: do this.\nAction: restart the pod\nReason: leak",
        answers("do this.\nAction: restart the pod\nReason: leak"),
      ],
      [
        "keeps an action heading",
        "Final Answer: x\n### Action:\nrestart the pod\n### Why\nleak",
        answers("x\n### Action:\nrestart the pod\n### Why\nleak"),
      ],
      [
        "keeps numbered actions",
        "Final Answer: x\n1. Action: k.a\n2. Action Input: y",
        answers("x\n1. Action: k.a\n2. Action Input: y"),
      ],
      ["keeps a lone input", "Final Answer: x\nAction Input: y", answers("x\nAction Input: y")],
      [
        "keeps both on one line",
        "Final Answer: x. Action: k.a Action Input: {}",
        answers("x. Action: k.a Action Input: {}"),
      ],
      [
        "keeps an action far from its input",
        "Final Answer: x\nAction: k.a\nthen wait\nAction Input: y",
        answers("x\nAction: k.a\nthen wait\nAction Input: y"),
      ],
      [
        "ends at a call after a blank line",
        "Final Answer: x\n\nAction: k.a\n\nAction Input: {}",
        parsedCall("k.a", "{}"),
      ],
      [
        "ends at a bold call",
        "Final Answer: x\n**Action:** `k.a`\n**Action Input:** {}",
        parsedCall("k.a", "{}"),
      ],
      [
        "ends at a call with its thought",
        "Thought: a\nFinal Answer: x\nThought: b\nAction: k.a\nAction Input: {}",
        parsedCall("k.a", "{}", "b"),
      ],
      [
        "ends at a call with the name on a separate line",
        "Final Answer: x\nAction:\nk.a\nAction Input: {}",
        parsedCall("k.a", "{}"),
      ],
      [
        "counts after an action without input",
        "Thought: t\nAction: None\nFinal Answer: x",
        answers("x", "t"),
      ],
      ["counts without a thought", "Final Answer: x", answers("x")],
    ]);
  });
});
