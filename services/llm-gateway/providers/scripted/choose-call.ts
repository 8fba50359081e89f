import { ALERT_MARKER } from "#shared/contracts/prompt-marks.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../../errors/llm-error.ts";
import { alertPattern } from "#shared/agent-config/scripts/alert-pattern.ts";
import type { Script, ScriptCondition, ScriptStep } from "#shared/agent-config/scripts/script-schema.ts";

/**
 * Chooses the entry of the script that answers this call: the first one whose conditions all hold. The call's number is
 * the number of assistant messages plus one; it depends only on the conversation, so every replica, and an executor
 * that takes over, gets the same answer. `attempt` counts the gateway's tries of this call, from 1; `name` is the script's, for messages. Throws
 * TerminalError `invalid_request` if no entry matches.
 */
export function chooseCall(
  script: Script,
  request: GenerateRequest,
  attempt: number,
  name: string,
): { readonly number: number; readonly steps: readonly ScriptStep[] } {
  const number = callNumber(request);
  const entry = script.calls.find(
    ({ when }) => when === undefined || holds(when, request, { number, attempt }),
  );
  if (entry === undefined) {
    throw terminal(
      "invalid_request",
      `script ${name} has no entry for call ${number} of this conversation: add one without "when" at the end`,
    );
  }
  return { number, steps: entry.steps };
}

function callNumber({ messages }: GenerateRequest): number {
  return 1 + messages.filter(({ role }) => role === "assistant").length;
}

function holds(
  when: ScriptCondition,
  { messages, tools, agentName }: GenerateRequest,
  { number, attempt }: { readonly number: number; readonly attempt: number },
): boolean {
  if (when.attempt !== undefined && when.attempt !== attempt) return false;
  const { call, contains, last_contains: lastContains, tools: withTools, provider_state: state } = when;
  if (call !== undefined && call !== number) return false;
  if (when.agent !== undefined && when.agent !== agentName) return false;
  if (withTools !== undefined && withTools !== tools.length > 0) return false;
  if (lastContains !== undefined && messages.at(-1)?.content.includes(lastContains) !== true) return false;
  const wanted = contains === undefined ? [] : [contains].flat();
  if (!wanted.every((text) => messages.some(({ content }) => content.includes(text)))) return false;
  if (when.alert_matches !== undefined && !alertMatches(messages, when.alert_matches)) return false;
  if (state === undefined) return true;
  const last = messages.findLast(({ role }) => role === "assistant")?.providerState;
  return (last === undefined ? "" : Buffer.from(last).toString("utf8")) === state;
}

const ALERT = new RegExp(`<!-- ${ALERT_MARKER}_START.*?-->(.*?)<!-- ${ALERT_MARKER}_END`, "su");

function alertMatches(messages: GenerateRequest["messages"], pattern: string): boolean {
  const expression = alertPattern(pattern);
  return messages.some(({ role, content }) => {
    const [, alert] = (role === "user" && ALERT.exec(content)) || [];
    return alert !== undefined && expression.test(alert);
  });
}
