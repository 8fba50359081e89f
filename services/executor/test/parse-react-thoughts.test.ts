import { answers, parsedCall, declareCases, isMalformed } from "./react-case.ts";

const call = "Action: k8s.get_pods\nAction Input:";

describe("parseReact, for what models write around and in thoughts", () => {
  describe("around the sections", () => {
    declareCases([
      [
        "drops a preamble",
        `Sure! I can help with that.\n\nThought: look\n${call} {}`,
        parsedCall("k8s.get_pods", "{}", "look"),
      ],
      [
        "drops a preamble without a thought",
        `I'll check the pods first.\n${call} {}`,
        parsedCall("k8s.get_pods", "{}"),
      ],
      [
        "drops the repeated question",
        `Question: why is it slow?\nThought: look\n${call} {}`,
        parsedCall("k8s.get_pods", "{}", "look"),
      ],
      [
        "drops reasoning tags",
        `<think>\nhm\n</think>\n\nThought: look\n${call} {}`,
        parsedCall("k8s.get_pods", "{}", "look"),
      ],
      [
        "skips blank lines before",
        `\n\n\nThought: look\n\n${call} {}\n\n\n`,
        parsedCall("k8s.get_pods", "{}", "look"),
      ],
      [
        "reads a byte order mark",
        `\uFEFFThought: look\n${call} {}`,
        parsedCall("k8s.get_pods", "{}", "look"),
      ],
      [
        "reads Windows line ends",
        'Thought: a\r\nb\r\nAction: k.a\r\nAction Input: {\r\n  "x": 1\r\n}\r\n',
        parsedCall("k.a", '{\n  "x": 1\n}', "a\nb"),
      ],
      [
        "reads Windows line ends of an answer",
        "Thought: a\r\nFinal Answer: b\r\n\r\n- c\r\n",
        answers("b\n\n- c", "a"),
      ],
      [
        "ends at an invented reference",
        `${call} {}\n[Based on the result, I conclude]\nFinal Answer: x`,
        parsedCall("k8s.get_pods", "{}"),
      ],
      [
        "ends at an observation right after a thought",
        "Thought: t\nObservation: o\nFinal Answer: x",
        isMalformed("t"),
      ],
      ["ends at an indented observation", `${call} {}\n   Observation: x`, parsedCall("k8s.get_pods", "{}")],
      [
        "continues after quoted feedback",
        "Thought: t\nObservation: Error in reasoning: x\nmore\nFinal Answer: F",
        answers("F", "t\nObservation: Error in reasoning: x\nmore"),
      ],
      [
        "continues after a quoted request",
        "Thought: t\nObservation: Please specify the tool\nFinal Answer: F",
        answers("F", "t\nObservation: Please specify the tool"),
      ],
      [
        "continues after a quoted question",
        "Observation: say what Action you want to take\nFinal Answer: F",
        answers("F"),
      ],
      [
        "does not end at the word Observation",
        "Thought: Observation shows\nObservations: many\nFinal Answer: F",
        answers("F", "Observation shows\nObservations: many"),
      ],
      [
        "takes the first call of an invented dialogue",
        `Thought: t\n${call} {}\nObservation: 3 pods\nThought: u\nAction: k.b\nAction Input: {}\nObservation: x\nFinal Answer: F`,
        parsedCall("k8s.get_pods", "{}", "t"),
      ],
    ]);
  });

  describe("in thoughts", () => {
    declareCases([
      [
        "keeps several lines",
        "Thought: one\ntwo\n\nthree\nFinal Answer: F",
        answers("F", "one\ntwo\n\nthree"),
      ],
      ["starts on the next line", "Thought:\nI look.\nFinal Answer: F", answers("F", "I look.")],
      ["needs no colon on a separate line", "Thought\nI look.\nFinal Answer: F", answers("F", "I look.")],
      ["needs a colon before text", "Thought about it\nFinal Answer: F", answers("F")],
      ["trims its lines", "Thought: a  \n    b\t\nFinal Answer: F", answers("F", "a\nb")],
      ["lets the last one win", "Thought: a\nThought: b\nFinal Answer: F", answers("F", "b")],
      ["ignores a later empty one", "Thought: a\nThought:\nFinal Answer: F", answers("F", "a")],
      [
        "keeps words like markers",
        "Thought: The Action: field and Final Answer: field\nFinal Answer: F",
        answers("F", "The Action: field and Final Answer: field"),
      ],
      [
        "keeps other scripts",
        "Thought: 检查 pod 状态。\nFinal Answer: 内存不足 🚨",
        answers("内存不足 🚨", "检查 pod 状态。"),
      ],
      ["comes after an action", `${call} {}\nThought: I wait`, parsedCall("k8s.get_pods", "{}", "I wait")],
      [
        "keeps a lone thought",
        "Thought: I need the logs, but of which pod",
        isMalformed("I need the logs, but of which pod"),
      ],
    ]);
  });

  describe("after the end of a sentence", () => {
    declareCases([
      ["concludes", "Thought: I know. Final Answer: F", answers("F", "I know.")],
      ["concludes and reads on", "Thought: I know. Final Answer: F\nand\nG", answers("F\nand\nG", "I know.")],
      ["concludes without a space", "Thought: I know!Final Answer: F", answers("F", "I know!")],
      ["concludes after dots", "Thought: so... Final Answer: F", answers("F", "so...")],
      ["concludes after a question", "Thought: what else?  Final Answer: F", answers("F", "what else?")],
      ["concludes in a later line", "Thought: one\nI know. Final Answer: F", answers("F", "one\nI know.")],
      ["concludes without a thought", "I know. Final Answer: F", answers("F")],
      ["calls", "Thought: I look. Action: k.a\nAction Input: {}", parsedCall("k.a", "{}", "I look.")],
      [
        "calls and discards lines up to the input",
        "Thought: I look. Action: k.a\nnow\nAction Input: {}",
        parsedCall("k.a", "{}", "I look."),
      ],
      [
        "calls in a later line, which is lost",
        "Thought: one\nI look. Action: k.a\nAction Input: {}",
        parsedCall("k.a", "{}", "one"),
      ],
      ["calls without a thought", "I look. Action: k.a\nAction Input: {}", parsedCall("k.a", "{}")],
      [
        "reads an input once there was an action",
        "Action: k.a\nNow. Action Input: {}",
        parsedCall("k.a", "{}"),
      ],
      [
        "reads no input before an action",
        "Thought: Now. Action Input: {}",
        isMalformed("Now. Action Input: {}"),
      ],
      [
        "takes an answer before an action",
        "Thought: A. Action: k.a. Final Answer: F",
        answers("F", "A. Action: k.a."),
      ],
      [
        "does not conclude in a line that starts with Thought",
        "Thought: a\nThought about b. Final Answer: F",
        isMalformed("a\nThought about b. Final Answer: F"),
      ],
      [
        "does not conclude on an action's line",
        "Action: k.a. Final Answer: F\nAction Input: {}",
        parsedCall("k.a. Final Answer: F", "{}"),
      ],
      ["is no marker after a colon", "Thought: so: Final Answer: F", isMalformed("so: Final Answer: F")],
      [
        "is no marker after a comma",
        "Thought: so, Action: k.a\nAction Input: {}",
        parsedCall("k.a", "{}", "so, Action: k.a"),
      ],
      [
        "is no marker after an ellipsis character",
        "Thought: so… Final Answer: F",
        isMalformed("so… Final Answer: F"),
      ],
      [
        "is no marker after an ideographic full stop",
        "Thought: 好。Final Answer: F",
        isMalformed("好。Final Answer: F"),
      ],
      [
        "is no marker inside an input",
        'Action: k.a\nAction Input: {"x": "a. Final Answer: b"}\nok. Action: k.b',
        parsedCall("k.a", '{"x": "a. Final Answer: b"}\nok. Action: k.b'),
      ],
    ]);
  });
});
