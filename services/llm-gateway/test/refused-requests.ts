import { isObject } from "#shared/exact-json.ts";

const GOOD_NAME = /^[A-Za-z_][\w-]{0,63}$/u;

/** The objects in the list under this key; empty if there is no list. */
export function lists(value: unknown, key: string): Record<string, unknown>[] {
  const list: unknown = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/**
 * Why Anthropic would refuse a request; undefined if it accepts it. Checks that turns alternate, results follow their
 * calls and no text is blank.
 */
export function refusedByAnthropic(body: unknown): string | undefined {
  let open: unknown[] = [];
  for (const [index, { role, content }] of lists(body, "messages").entries()) {
    if (role !== (index % 2 === 0 ? "user" : "assistant")) return `message ${index} is of ${String(role)}`;
    const blocks = lists({ content }, "content");
    if (blocks.length === 0) return `message ${index} is empty`;
    const results = blocks.flatMap(({ type, tool_use_id: id }) => (type === "tool_result" ? [id] : []));
    if (JSON.stringify(results) !== JSON.stringify(open)) return `message ${index} has other results`;
    if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === "")) return "empty text";
    open = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
  }
  return lists(body, "tools").some(({ name }) => !GOOD_NAME.test(String(name))) ? "a tool's name" : undefined;
}

/** The same for chat completions. Checks that each call has a result and each result a call, and the lengths of ids. */
export function refusedByOpenai(body: unknown): string | undefined {
  let open: unknown[] = [];
  for (const [index, sent] of lists(body, "messages").entries()) {
    if (sent["role"] === "tool") {
      if (!open.includes(sent["tool_call_id"])) return `message ${index} is a result without a call`;
      open = open.filter((id) => id !== sent["tool_call_id"]);
      continue;
    }
    if (open.length > 0) return `message ${index} comes before results`;
    open = lists(sent, "tool_calls").map(({ id }) => id);
    if (open.some((id) => String(id).length > 40)) return "an id is too long";
  }
  const names = lists(body, "tools").map((tool) =>
    isObject(tool["function"]) ? tool["function"]["name"] : "",
  );
  return names.some((name) => !GOOD_NAME.test(String(name))) ? "a tool's name" : undefined;
}

/** The same for Gemini. Checks that each content has parts, each call a result, and that results are objects. */
export function refusedByGemini(body: unknown): string | undefined {
  let calls = 0;
  for (const [index, { role, ...content }] of lists(body, "contents").entries()) {
    const parts = lists(content, "parts");
    if (parts.length === 0) return `content ${index} is empty`;
    const results = parts.filter((part) => "functionResponse" in part);
    if (results.length !== (role === "user" ? calls : 0)) return `content ${index} has other results`;
    const answers = results.map((part) => part["functionResponse"]);
    if (!answers.every((answer) => isObject(answer) && isObject(answer["response"]))) {
      return "a result is no object";
    }
    const called = parts.filter((part) => "functionCall" in part);
    calls = called.length;
  }
  const [tool] = lists(body, "tools");
  return lists(tool, "functionDeclarations").some(({ name }) => !GOOD_NAME.test(String(name)))
    ? "a tool's name"
    : undefined;
}

/** The same for the Responses API. Checks that calls and outputs match, and the lengths of ids. */
export function refusedByResponses(body: unknown): string | undefined {
  const input = lists(body, "input");
  const idsOf = (kind: string) =>
    input.filter(({ type }) => type === kind).map(({ call_id: id }) => String(id));
  const ids = idsOf("function_call");
  if (JSON.stringify(ids) !== JSON.stringify(idsOf("function_call_output"))) {
    return "calls and outputs differ";
  }
  if (ids.some((id) => id.length > 64)) return "an id is too long";
  return lists(body, "tools").some(({ name }) => !GOOD_NAME.test(String(name))) ? "a tool's name" : undefined;
}
