import { Type } from "#shared/generated/typebox/typebox.mjs";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { textsOfChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { announceFollowUp } from "../announce-follow-up.ts";
import type { ApiDeps } from "../api-deps.ts";
import { checkChatAvailable } from "./chat-of-session.ts";
import { MAX_QUESTION_CHARACTERS } from "./contract.ts";
import { bodyReader } from "../http/body-reader.ts";
import { NullableText } from "../http/common-schemas.ts";
import { postQuestion } from "./post-question.ts";
import type { Caller } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { RequestError } from "../http/request-error.ts";
import { refuseImported } from "../sessions/imported-session.ts";
import { sessionFor } from "../http/visible-session.ts";
import { McpSelection } from "../alerts/contract.ts";
import { openSelection } from "../alerts/open-selection.ts";

const SESSION =
  "SELECT chain_id, alert_type, status, mcp_selection FROM alert_sessions WHERE session_id = $1";
const parseSession = compileParser(
  "asked session",
  Type.Object({
    chain_id: Type.String(),
    alert_type: Type.String(),
    status: literals(SESSION_STATUSES),
    mcp_selection: Type.Union([McpSelection, Type.Null()]),
  }),
);

/** The texts for a missing or a too long question are those that clients know, so they are not the schema's. */
const readBody = bodyReader(Type.Object({ content: Type.Optional(NullableText) }));

interface Asked {
  /** Of the question; by default a new one. */
  readonly messageId?: string;
  /** What is committed with the question. */
  readonly settle?: (transaction: Queryable, messageId: string) => Promise<void>;
}

/**
 * Returns what asks about a session that has ended: a question wakes an executor, with the configuration of now. `read` reads the body of
 * `POST /api/v1/sessions/:id/chat/messages`, once it is known that the caller may see the session; It rejects with RequestError 400, 404, 409 (also for an id that has been asked) or 429, and database errors.
 */
export function openQuestions(deps: ApiDeps) {
  const { db, dispatcher, log } = deps;
  const prepare = prepareQuestions(deps);
  return async (
    caller: Caller,
    sessionId: string | undefined,
    read: () => unknown,
    { messageId, settle }: Asked = {},
  ) => {
    const { session_id: id } = await sessionFor(db, caller, sessionId);
    const body = await read();
    const author = postgresSafeText(caller.identity.name).text;
    const { content, chain } = await prepare(id, body);
    const posted = await db.transaction(async (transaction) => {
      // Until the commit the lock keeps others from deleting the session and from asking, too.
      await sessionFor(transaction, caller, id, { lock: true });
      const asked = await postQuestion(transaction, { sessionId: id, content, author, chain, messageId });
      await settle?.(transaction, asked.messageId);
      return asked;
    });
    announceFollowUp(dispatcher, id, posted);
    const { chatId: chat_id, messageId: message_id, stageId: stage_id } = posted;
    caller.detail = { ...caller.detail, message_id };
    log.info({ session_id: id, message_id, stage_id }, "question about an ended session");
    return { chat_id, message_id, stage_id };
  };
}

/**
 * Returns what prepares a question, by its body, before the transaction that posts it and locks the session's rows: its text without
 * secrets, and the configuration by which it is answered. It rejects with RequestError 400 and database errors.
 */
function prepareQuestions(deps: ApiDeps) {
  const { config, db } = deps;
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/chat/messages");
  const chainOf = openChatChains(deps);
  const texts = new Map([...config.agents.skills.values()].map((skill) => [skill.hash, skill]));
  return async (sessionId: string, body: unknown) => {
    const [session] = await selectRows(db, parseSession, SESSION, [sessionId]);
    if (session === undefined) throw new Error(`session ${sessionId} is gone`);
    await refuseImported(db, sessionId);
    checkChatAvailable(config.agents, session);
    const question = { content: parseQuestion(body) };
    const chain = chainOf(session);
    const { content } = await mask(sessionId, question);
    await keepTexts(
      db,
      textsOfChain(chain).flatMap((hash) => texts.get(hash) ?? []),
    );
    return { content, chain };
  };
}

/** Reads the question from a decoded body. Throws RequestError 400. */
function parseQuestion(body: unknown): string {
  const content = readBody(body).content ?? "";
  if (content.trim() === "") throw new RequestError(400, "content is required");
  if (Array.from(content).length > MAX_QUESTION_CHARACTERS) {
    throw new RequestError(
      400,
      `content exceeds maximum length of ${MAX_QUESTION_CHARACTERS.toLocaleString("en-US")} characters`,
    );
  }
  return content;
}

/** Returns what resolves the configuration of an answer; the alert's choice of servers holds for it, too. */
function openChatChains({
  config: { agents },
}: ApiDeps): (session: ReturnType<typeof parseSession>) => ResolvedChain {
  const select = openSelection(agents);
  return ({ chain_id: chainId, alert_type: alertType, mcp_selection: selection }) => {
    const servers = selection?.servers.filter(({ name }) => agents.mcpServers.has(name)) ?? [];
    const chain = resolveChat(agents, { chainId, alertType }, servers.length > 0);
    if (chain === undefined) throw new RequestError(400, "chain configuration not found");
    // The configuration's free texts may contain characters that jsonb rejects.
    return postgresSafeValue(selection === null ? chain : select(chain, { ...selection, servers }));
  };
}
