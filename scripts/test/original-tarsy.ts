import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "#shared/service/listen.ts";

/** What the fake answers below `/api/v1/sessions/ID`, by the rest of the path; others are answered 404. */
export interface FakeSession {
  /** Its item in the list has `id`, `status` and what else is read there. */
  readonly item: { readonly id: string; readonly status: string } & Record<string, unknown>;
  readonly parts: Readonly<Record<string, object>>;
}

/**
 * The REST API of another TARSy: pages of sessions, and what belongs to each. It wants a token, allows nothing but GET, and fails requests on
 * demand.
 */
export async function openOriginal(
  sessions: readonly FakeSession[],
  token: string,
  { asked = () => undefined }: { readonly asked?: (path: string) => void } = {},
) {
  const requests: string[] = [];
  let failing = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://fake");
    requests.push(`${request.method} ${pathname}`);
    asked(pathname);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { message: "who are you?" });
    if (request.method !== "GET") return answer(405, { message: "Method Not Allowed" });
    if (failing > 0) {
      failing -= 1;
      return answer(502, { message: "bad gateway" });
    }
    if (pathname === "/tarsy/api/v1/sessions") {
      const page = Number(searchParams.get("page"));
      const start = searchParams.get("start_date") ?? "";
      const listed = sessions.filter(({ item }) => start <= String(item["created_at"]));
      // Pages of its own size: the client asks until it has all.
      const items = listed.slice((page - 1) * 3, page * 3).map(({ item }) => item);
      const pages = Math.ceil(listed.length / 3);
      return answer(200, {
        sessions: items,
        pagination: { page, page_size: 3, total_pages: pages, total_items: listed.length },
        cost_estimation_enabled: false,
      });
    }
    const found = sessions.find(({ item }) => pathname.startsWith(`/tarsy/api/v1/sessions/${item.id}`));
    const part = found?.parts[pathname.slice(`/tarsy/api/v1/sessions/${found.item.id}`.length)];
    return part === undefined ? answer(404, { message: "resource not found" }) : answer(200, part);
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/tarsy`,
    requests,
    /** Answers the next requests with 502. */
    fail: (count: number) => void (failing = count),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const at = (second: number) => new Date(Date.parse("2026-05-01T10:00:00Z") + second * 1_000).toISOString();

/** A session with two agents and a synthesis, tool calls, a chat, a review and a memory, as the original answers. */
export function wholeSession(id: string, given: { readonly secret: string }): FakeSession {
  const run = { status: "completed", started_at: at(1), completed_at: at(50), llm_backend: "langchain" };
  const tokens = { input_tokens: 700, output_tokens: 30, total_tokens: 730 };
  const agent = (execution_id: string, agent_name: string, agent_index = 1) => ({
    execution_id,
    agent_name,
    agent_index,
    ...run,
    ...tokens,
    duration_ms: 49_000,
    llm_provider: "gemini",
    model_name: "gemini-2.5-pro",
    error_message: null,
  });
  const stage = (stage_id: string, stage_index: number, stage_type: string, more: object) => ({
    id: stage_id,
    stage_name: `${stage_type} stage`,
    stage_index,
    stage_type,
    parallel_type: null,
    expected_agent_count: 1,
    ...run,
    ...more,
  });
  let sequence = 0;
  const entry = (event_type: string, second: number, more: object) => ({
    id: `entry-${(sequence += 1)}`,
    session_id: id,
    sequence_number: sequence,
    created_at: at(second),
    updated_at: at(second + 1),
    event_type,
    status: "completed",
    edges: {},
    ...more,
  });
  const ofOne = { stage_id: "s1", execution_id: "e1" };
  const review = { review_status: "reviewed", assignee: "ann", quality_rating: "accurate" };
  const item = { id, status: "completed", alert_type: "kubernetes", chain_id: "k8s", created_at: at(0) };
  return {
    item: { ...item, scoring_status: null, provider_fallback_count: 0 },
    parts: {
      "": {
        ...item,
        ...tokens,
        ...review,
        alert_data: `Größe des Speichers: cart is OOMKilled\u0000 password=${given.secret}`,
        author: `bot ghp_0123456789abcdefghijABCDEFGHIJ456789`,
        error_message: null,
        final_analysis: `# Findings\nThe cache of **cart** has no limit; ${given.secret} was used.`,
        executive_summary: "cart has no limit",
        executive_summary_error: null,
        runbook_url: null,
        mcp_selection: null,
        started_at: at(1),
        completed_at: at(60),
        llm_interaction_count: 6,
        mcp_interaction_count: 1,
        chat_message_count: 1,
        actions_executed: null,
        action_taken: "raised the limit",
        investigation_feedback: "well found",
        feedback_edited: false,
        stages: [
          stage("s1", 1, "investigation", {
            parallel_type: "multi_agent",
            expected_agent_count: 2,
            executions: [
              { ...agent("e1", "Looker"), sub_agents: [{ ...agent("e1a", "Helper"), task: "look at logs" }] },
              agent("e2", "Checker", 2),
            ],
          }),
          stage("s2", 2, "synthesis", { referenced_stage_id: "s1", executions: [agent("e3", "Synthesis")] }),
          stage("s3", 3, "exec_summary", { executions: [agent("e4", "Summary")] }),
          stage("s4", 4, "chat", { executions: [agent("e5", "Chat")] }),
        ],
      },
      "/timeline": [
        entry("llm_thinking", 2, { ...ofOne, content: "Look at the pod.", metadata: { source: "native" } }),
        entry("llm_tool_call", 3, {
          ...ofOne,
          content: `exit code 137\nAuthorization: Bearer ${given.secret}`,
          metadata: {
            server_name: "kubernetes",
            tool_name: "pods_log",
            tool_type: "mcp",
            arguments: { name: "cart", token: given.secret },
            is_error: false,
          },
        }),
        entry("something_new", 4, { ...ofOne, content: "It says more." }),
        entry("final_analysis", 5, { stage_id: "s1", execution_id: "e2", content: "No limit." }),
        entry("final_analysis", 20, { stage_id: "s2", execution_id: "e3", content: "Both say so." }),
        entry("executive_summary", 58, { content: "cart has no limit" }),
        entry("final_analysis", 58, { stage_id: "s3", execution_id: "e4", content: "cart has no limit" }),
        entry("user_question", 70, { stage_id: "s4", content: "Which cart?", metadata: { author: "bob" } }),
        entry("final_analysis", 71, { stage_id: "s4", execution_id: "e5", content: "cart-7f9c." }),
      ],
      "/review-activity": {
        activities: [
          {
            id: "1",
            actor: "ann",
            action: "claim",
            from_status: null,
            to_status: "in_progress",
            created_at: at(80),
          },
          {
            id: "2",
            actor: "ann",
            action: "complete",
            from_status: "in_progress",
            to_status: "reviewed",
            quality_rating: "accurate",
            note: "raised the limit",
            investigation_feedback: "well found",
            created_at: at(90),
          },
        ],
      },
      "/memories": [
        {
          id: "memory-1",
          project: "default",
          content: `Carts without a limit are killed; password=${given.secret}`,
          category: "semantic",
          valence: "negative",
          confidence: 0.84,
          seen_count: 3,
          source_session_id: id,
          alert_type: "kubernetes",
          chain_id: "k8s",
          deprecated: false,
          created_at: at(100),
          updated_at: at(100),
          last_seen_at: at(110),
        },
      ],
    },
  };
}
